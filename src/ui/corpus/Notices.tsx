import {
  dismissNotice,
  dismissProblem,
  purgeRemoved,
  restoreCollection,
} from '../stores/collections-actions.ts';
import { useCollections } from '../stores/collections-store.ts';
import { CopyButton } from '../lib/CopyButton.tsx';

const Problem = () => {
  const problem = useCollections((state) => state.problem);
  if (!problem) return null;
  return (
    <div className="undo" role="alert">
      <span className="tone-bad grow">⚠ {problem.text}</span>
      {problem.detail ? (
        <CopyButton label="Copy details" text={() => `${problem.text}\n${problem.detail}`} />
      ) : null}
      <button
        type="button"
        className="link"
        aria-label="Hide this problem"
        onClick={dismissProblem}
      >
        ✕
      </button>
    </div>
  );
};

/** Deleted collections, as long as they can be brought back. */
const Undo = () => {
  const removed = useCollections((state) => state.removed);
  if (removed.length === 0) return null;
  return (
    <div className="undo">
      {removed.map(({ id, name, uses }) => (
        <span key={id}>
          Deleted “{name}”
          {uses.searched || uses.asked
            ? `; runs ${[uses.searched && 'search', uses.asked && 'ask'].filter(Boolean).join(' and ')} without it now`
            : ''}
          .{' '}
          <button type="button" className="link strong" onClick={() => void restoreCollection(id)}>
            Undo
          </button>
        </span>
      ))}
      <span className="grow" />
      <button type="button" className="link" onClick={() => void purgeRemoved()}>
        Free the space now
      </button>
    </div>
  );
};

const Notice = () => {
  const notice = useCollections((state) => state.notice);
  if (!notice) return null;
  return (
    <div className="undo">
      <span className="grow">{notice}</span>
      <button type="button" className="link" aria-label="Hide this message" onClick={dismissNotice}>
        ✕
      </button>
    </div>
  );
};

export const Notices = () => (
  <>
    <Problem />
    <div role="status">
      <Notice />
      <Undo />
    </div>
  </>
);
