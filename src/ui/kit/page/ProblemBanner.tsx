import { CopyButton } from '../CopyButton.tsx';

/** The last action of a page that failed, until it is dismissed. */
export const ProblemBanner = ({
  problem,
  retry,
  dismiss,
}: {
  problem: { text: string; detail: string } | null;
  /** Null: the action has a button of its own. */
  retry: (() => void) | null;
  dismiss: () => void;
}) =>
  problem && (
    <div className="failure" role="alert">
      <b>⚠ {problem.text}</b>
      <div className="failure-actions">
        {retry ? (
          <button type="button" className="link" onClick={retry}>
            Try again
          </button>
        ) : null}
        <CopyButton label="Copy details" text={() => `${problem.text}\n${problem.detail}`} />
        <button type="button" className="link" onClick={dismiss}>
          Dismiss
        </button>
      </div>
    </div>
  );
