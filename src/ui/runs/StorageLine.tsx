import { useEffect, useState } from 'react';
import { formatBytes } from '../lib/format.ts';
import { useTrain } from '../stores/train-store.ts';

/** What this origin stores, of how much, and whether the browser may clear it. */
export const StorageLine = () => {
  const told = useTrain((state) => state.storage);
  const [read, setRead] = useState<typeof told>(null);
  useEffect(() => {
    let live = true;
    const ask = async () => {
      const [estimate, persisted] = await Promise.all([
        navigator.storage?.estimate(),
        navigator.storage?.persisted?.() ?? false,
      ]);
      if (live && estimate)
        setRead({
          usedBytes: estimate.usage ?? 0,
          quotaBytes: estimate.quota ?? 0,
          persisted,
        });
    };
    void ask().catch(() => undefined);
    return () => {
      live = false;
    };
  }, []);
  const storage = told ?? read;
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
