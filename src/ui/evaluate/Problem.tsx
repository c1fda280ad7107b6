import { CopyButton } from '../kit/CopyButton.tsx';
import { dismissProblem, reloadEvaluations } from './store/evaluate-actions.ts';
import { useEvaluate } from './store/evaluate-store.ts';

/** The last failure, until it is dismissed. */
export const EvaluateProblem = () => {
  const problem = useEvaluate((state) => state.problem);
  const failed = useEvaluate((state) => state.status === 'failed');
  if (!problem) return null;
  return (
    <div className="failure" role="alert">
      <b>⚠ {problem.text}</b>
      <div className="failure-actions">
        {/* Only for the list itself; other actions are retried by their own button. */}
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
