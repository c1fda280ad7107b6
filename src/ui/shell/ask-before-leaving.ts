import { useCollections } from '../corpus/store/collections-store.ts';
import { runningEvaluation, useEvaluate } from '../evaluate/store/evaluate-store.ts';
import { useRollouts } from '../rollouts/store/rollouts-store.ts';
import { trainingRun, useTrain } from '../train/store/train-store.ts';

/** Whether this tab runs a long task. Tasks of other tabs continue. */
export const worksHere = (): boolean => {
  const [train, evaluate] = [useTrain.getState(), useEvaluate.getState()];
  const [run, evaluation] = [trainingRun(train), runningEvaluation(evaluate)];
  return (
    (run !== undefined && run.id === train.here) ||
    (evaluation !== undefined && evaluation.id === evaluate.here) ||
    useCollections.getState().job !== null ||
    useRollouts.getState().jobs.some(({ status }) => status !== 'failed') ||
    train.adopting.reading !== null
  );
};

/**
 * Lets the browser confirm closing or reloading during a long task: training could be resumed, but the
 * user should not find out hours later that it stopped.
 */
export const askBeforeLeaving = (): void =>
  addEventListener('beforeunload', (event) => {
    if (worksHere()) event.preventDefault();
  });
