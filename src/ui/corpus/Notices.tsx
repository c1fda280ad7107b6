import {
  dismissNotice,
  dismissProblem,
  purgeRemoved,
  restoreCollection,
} from './store/collections-actions.ts';
import { useCollections } from './store/collections-store.ts';
import type { Uses } from '../setup/search-with.ts';
import { CopyButton } from '../kit/CopyButton.tsx';
import { UndoBar } from '../kit/UndoBar.tsx';

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
const lostOf = ({ searched, asked }: Uses): string => {
  const calls = [searched && 'search', asked && 'ask'].filter(Boolean);
  return calls.length > 0 ? `; runs ${calls.join(' and ')} without it now` : '';
};

const Undo = () => (
  <UndoBar
    removed={useCollections((state) => state.removed).map(({ uses, ...entry }) => ({
      ...entry,
      lost: lostOf(uses),
    }))}
    restore={(id) => void restoreCollection(id)}
  >
    <button type="button" className="link" onClick={() => void purgeRemoved()}>
      Free the space now
    </button>
  </UndoBar>
);

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
    </div>
    <Undo />
  </>
);
