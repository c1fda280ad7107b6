import { CopyButton } from '../kit/CopyButton.tsx';
import { dismissProblem, reloadEvaluations } from './store/evaluate-actions.ts';
import { useEvaluate } from './store/evaluate-store.ts';

/** What could not be done last, until it is put away. */
export const EvaluateProblem = () => {
  const problem = useEvaluate((state) => state.problem);
  const failed = useEvaluate((state) => state.status === 'failed');
  if (!problem) return null;
  return (
    <div className="failure" role="alert">
      <b>⚠ {problem.text}</b>
      <div className="failure-actions">
        {/* Only where the list itself could not be read; any other action is tried again by its own button. */}
        {failed ? (
          <button type="button" className="link" onClick={() => void reloadEvaluations()}>
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
