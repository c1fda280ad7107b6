import { useSyncExternalStore } from 'react';
import { rewardFormula } from '../../../learn/rewards/formulas.ts';
import { findTraining } from '../../../systems/index.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { plural } from '../../kit/words/format.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';
import { AboutPaper } from '../../setup/form/AboutPaper.tsx';
import { Expected } from './Expected.tsx';
import { isBeside, watchBeside } from '../../kit/page/screen.ts';
import { useFold } from '../../kit/page/use-fold.ts';

/** The reward of each stage as a formula, with where it stands. */
const Formulas = ({ stages }: { stages: TrainSettings['stages'] }) => (
  <>
    {stages.map(({ reward, weights }, index) => {
      const found = rewardFormula(reward, weights);
      return found ? (
        <p key={index} data-testid="reward-formula">
          {stages.length > 1 ? `Reward, stage ${index + 1}: ` : 'Reward: '}
          {found.formula ? (
            <span className="formula">
              <Terms>{found.formula}</Terms>
            </span>
          ) : (
            'as its source says'
          )}{' '}
          <span className="fine">({found.source})</span>
        </p>
      ) : null;
    })}
  </>
);

const watch = (tell: () => void): (() => void) => watchBeside(tell);

/** What the chosen recipe is: one sentence, its paper, its parts, and where it departs from it. */
export const RecipeCard = (props: {
  training: string;
  /** Null while a field is not allowed. */
  settings: TrainSettings | null;
}) => {
  const { training, settings } = props;
  const found = findTraining(training);
  const fold = useFold();
  // There it has a column of its own, so that nothing of it is folded away.
  const beside = useSyncExternalStore(watch, isBeside, isBeside);
  if (!found) return null;
  const { title, about } = found.recipe;
  return (
    <section className="recipe-card" aria-label={`Recipe: ${title}`}>
      <p>
        <b>
          {title} · <Terms>{found.variant.title}</Terms>.
        </b>{' '}
        <RecipeSentence recipe={found.recipe} />
      </p>
      {settings ? <Formulas stages={settings.stages} /> : null}
      <Expected training={training} start={settings?.start} />
      {!about ? null : beside ? (
        <AboutPaper id={found.recipe.id} about={about} />
      ) : (
        <details {...fold}>
          <summary>
            Parts and {plural(about.differences.length, 'difference')} from the paper
          </summary>
          <AboutPaper id={found.recipe.id} about={about} />
        </details>
      )}
    </section>
  );
};
