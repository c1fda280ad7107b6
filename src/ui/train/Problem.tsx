import { CopyButton } from '../kit/CopyButton.tsx';
import { dismissProblem, reloadRuns } from './store/train-actions.ts';
import { useTrain } from './store/train-store.ts';

/** What could not be done last, until it is put away. */
export const TrainProblem = () => {
  const problem = useTrain((state) => state.problem);
  const failed = useTrain((state) => state.status === 'failed');
  if (!problem) return null;
  return (
    <div className="failure" role="alert">
      <b>⚠ {problem.text}</b>
      <div className="failure-actions">
        {/* Only where the runs could not be read; any other action is tried again by its own button. */}
        {failed ? (
          <button type="button" className="link" onClick={() => void reloadRuns()}>
            Try again
          </button>
        ) : null}
        <CopyButton label="Copy details" text={() => `${problem.text}\n${problem.detail}`} />
        <button type="button" className="link" onClick={dismissProblem}>
          Dismiss
        </button>
      </div>
    </div>
  );
};
