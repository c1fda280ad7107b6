import { Link } from 'wouter';
import { useShallow } from 'zustand/react/shallow';
import { formatCount, plural } from '../../kit/words/format.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { useCollections } from '../../corpus/store/collections-store.ts';
import { questionSetsOf } from '../../setup/search-with.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { changeDraft } from '../store/train-draft.ts';

/**
 * The built-in policy was trained on the built-in world alone. A cold start on its own right rollouts may
 * find none elsewhere, and the run ends there: said before it is started.
 */
const WarmUpNeedsRight = ({ settings }: { settings: TrainSettings | null }) => {
  const builtIn = useSetup(({ setup }) => setup.policy.kind === 'built-in');
  if (!builtIn || settings?.warmUp?.from !== 'own') return null;
  return (
    <p className="warn" data-testid="warm-up-needs-right">
      ⚠ The cold start learns from the model’s own correct answers, and the built-in model knows
      only the built-in world. It may answer none of your questions correctly; the run then ends
      before its first step. Choose another model under “Model and data”, a file of trajectories
      under “Cold start, then RL”, or{' '}
      <button type="button" className="link" onClick={() => changeDraft('warmUp', null)}>
        leave the cold start out
      </button>
      .
    </p>
  );
};

/** What the run trains on where it is the user's own, or how to get there. */
export const OwnData = ({ settings }: { settings: TrainSettings | null }) => {
  // Compared id by id: another list of the same ones is not a change.
  const chosen = useSetup(useShallow(({ setup }) => questionSetsOf(setup)));
  const local = useSetup(({ setup }) => setup.local);
  const collections = useCollections((state) => state.collections);
  const own = collections.filter(({ questions }) => questions > 0);
  if (chosen.length > 0) {
    const asked = collections.filter(({ id }) => chosen.includes(id));
    const gone = chosen.length - asked.length;
    const questions = asked.reduce((sum, one) => sum + one.questions, 0);
    if (gone > 0)
      return (
        <p className="warn">
          ⚠ {plural(gone, 'chosen collection')} of questions {gone === 1 ? 'is' : 'are'} not here
          any more. Choose others under “Model and data”, or{' '}
          <Link href="/corpus">import them again</Link>.
        </p>
      );
    return (
      <>
        <p className="fine" data-testid="own-data">
          Trains on {formatCount(questions)} of your questions
          {local.kind === 'collections' ? ' and searches your passages' : ''}. They go where the
          field “split” of their file puts them (train, dev or test); without it, by a hash of their
          ids, 70 % are trained on, 15 % are held out for the curve, and 15 % stay untouched for a
          test.
        </p>
        <WarmUpNeedsRight settings={settings} />
      </>
    );
  }
  return (
    <p className="fine" data-testid="own-data">
      {own.length === 0 ? (
        <>
          Trains on the built-in world. To train on your own questions and passages,{' '}
          <Link href="/corpus">import them on Corpus</Link> and choose them here.
        </>
      ) : (
        <>
          Trains on the built-in world. {plural(own.length, 'collection')} of your questions can be
          chosen under “Model and data”; <Link href="/corpus">import more</Link>.
        </>
      )}
    </p>
  );
};
