import { formatBytes } from '../kit/words/format.ts';
import { useStorageUse } from './storage.ts';

/** What this origin stores, of how much, and whether the browser may clear it. */
export const StorageLine = () => {
  const storage = useStorageUse();
  if (!storage) return <span className="fine">storage: not available here</span>;
  const { usedBytes, quotaBytes, persisted } = storage;
  return (
    <span className="fine storage-line" data-testid="storage">
      storage <b>{formatBytes(usedBytes)}</b> of {formatBytes(quotaBytes)} ·{' '}
      {persisted ? (
        <span title="The browser clears this only when you ask it to">kept for good</span>
      ) : (
        <span
          className="tone-hint"
          title="The browser may clear it when the disk is full; export what matters"
        >
          not persisted: the browser may clear it when space runs out
        </span>
      )}
    </span>
  );
};
