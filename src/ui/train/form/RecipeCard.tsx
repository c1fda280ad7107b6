import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { headlineOf, heldOutScores } from '../../../evaluate/held-out-scores.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { rewardFormula } from '../../../learn/rewards/formulas.ts';
import { findTraining } from '../../../recipes/index.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { TrainStep } from '../../../records/training.ts';
import { MeasuredClaims } from '../../kit/signatures/MeasuredClaims.tsx';
import { formatShare, plural } from '../../kit/words/format.ts';
import { Sparkline } from '../charts/Sparkline.tsx';
import { RecipeSentence } from '../../setup/form/RecipeSentence.tsx';
import { openSteps } from '../store/train-actions.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import { useTrain, visibleRuns } from '../store/train-store.ts';

const NO_STEPS: readonly TrainStep[] = [];

/** The reward of each stage as a formula, with where it stands. */
const Formulas = ({ stages }: { stages: TrainSettings['stages'] }) => (
  <>
    {stages.map(({ reward, weights }, index) => {
      const found = rewardFormula(reward, weights);
      return found ? (
        <p key={index} data-testid="reward-formula">
          {stages.length > 1 ? `Reward, stage ${index + 1}: ` : 'Reward: '}
          {found.formula ? (
            <span className="formula">{found.formula}</span>
          ) : (
            'as its source says'
          )}{' '}
          <span className="fine">({found.source})</span>
        </p>
      ) : null;
    })}
  </>
);

/** What the last run of this recipe came to here: a curve that was measured, or nothing. */
const Expected = ({ training }: { training: string }) => {
  const run = useTrain((state) =>
    visibleRuns(state.runs).find(
      ({ settings, step, status }) =>
        settings.preset === training && step > 0 && status !== 'running',
    ),
  );
  const steps = useTrain((state) => (run ? state.steps[run.id] : undefined)) ?? NO_STEPS;
  const id = run?.id;
  useEffect(() => {
    if (id !== undefined) void openSteps(id);
  }, [id]);
  const headline = useMemo(() => headlineOf(steps), [steps]);
  if (!run || !headline || headline.first === headline.last) return null;
  const { first, last } = headline;
  const points = heldOutScores(steps).map(({ step, score }) => ({ x: step, y: score.em }));
  return (
    <p>
      Your last run of this recipe,{' '}
      <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link>: EM{' '}
      {formatShare(first.score.em)} → {formatShare(last.score.em)} in {plural(last.step, 'step')}{' '}
      <Sparkline points={points} name="held-out EM of that run by step" />
    </p>
  );
};

/** What the chosen recipe is: one sentence, its paper, its parts, and where it departs from it. */
export const RecipeCard = (props: {
  training: string;
  /** Null while a field is not allowed. */
  settings: TrainSettings | null;
}) => {
  const { training, settings } = props;
  const found = findTraining(training);
  if (!found) return null;
  const { title, about } = found.recipe;
  return (
    <section className="recipe-card" aria-label={`Recipe: ${title}`}>
      <p>
        <b>{title}.</b> <RecipeSentence recipe={found.recipe} />
      </p>
      {settings ? <Formulas stages={settings.stages} /> : null}
      <Expected training={training} />
      {about ? (
        <details>
          <summary>Parts and {plural(about.departures.length, 'departure')} from the paper</summary>
          <dl>
            <dt>Parts</dt>
            <dd>
              <Terms>{about.parts.join('; ')}</Terms>
            </dd>
            <dt>Departures</dt>
            {about.departures.map((departure) => (
              <dd key={departure}>
                <Terms>{departure}</Terms>
              </dd>
            ))}
            {about.published ? (
              <>
                <dt>Published</dt>
                <dd>
                  {about.published.figure} on {about.published.benchmark}, {about.published.model}.{' '}
                  <span className="fine">Not to be compared with what is measured here.</span>
                </dd>
              </>
            ) : null}
            <dt>If the idea works</dt>
            <dd>
              <Terms>{about.signature}</Terms>
              <MeasuredClaims recipe={found.recipe.id} />
            </dd>
          </dl>
        </details>
      ) : null}
    </section>
  );
};
