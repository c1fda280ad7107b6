import { useCollections } from '../corpus/store/collections-store.ts';
import { runningEvaluation, useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { useBrowse } from '../rollouts/store/browse-store.ts';
import { useAdopting } from '../train/store/adopt-actions.ts';
import { trainingRun, useTrain } from '../train/store/train-store.ts';

/** Whether something long is under way that ends with this tab. What another tab does continues. */
export const worksHere = (): boolean => {
  const [train, evaluate] = [useTrain.getState(), useEvaluate.getState()];
  const [run, evaluation] = [trainingRun(train), runningEvaluation(evaluate)];
  return (
    (run !== undefined && run.id === train.here) ||
    (evaluation !== undefined && evaluation.id === evaluate.here) ||
    useCollections.getState().job !== null ||
    useBrowse.getState().jobs.some(({ status }) => status !== 'failed') ||
    useAdopting.getState().reading !== null
  );
};

/**
 * Has the browser ask before the tab is closed or loaded again while something long is under way: a training continues
 * from its last step, but no one should have to find out hours later that it stopped.
 */
export const askBeforeLeaving = (): void =>
  addEventListener('beforeunload', (event) => {
    if (worksHere()) event.preventDefault();
  });
