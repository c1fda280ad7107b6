import { useState } from 'react';
import { formatBytes } from '../kit/words/format.ts';
import { keepStorage, useStorageUse } from './storage.ts';

/** Asks the browser to keep what is stored, and says so where it refuses. */
const KeepStorage = () => {
  const [refused, setRefused] = useState(false);
  return (
    <span
      className="tone-hint"
      title="The browser may clear it when the disk is full; export what matters"
    >
      stored in this browser only{' '}
      {refused ? (
        '(the browser refused to keep it permanently)'
      ) : (
        <button
          type="button"
          className="link"
          onClick={() => void keepStorage().then((kept) => setRefused(!kept))}
        >
          Keep it permanently
        </button>
      )}
    </span>
  );
};

/** What this origin stores, of how much, and whether the browser may clear it. */
export const StorageLine = () => {
  const storage = useStorageUse();
  if (!storage) return <span className="fine">storage: not available here</span>;
  const { usedBytes, quotaBytes, persisted } = storage;
  return (
    <span className="fine storage-line" data-testid="storage">
      storage <b>{formatBytes(usedBytes)}</b> of {formatBytes(quotaBytes)} ·{' '}
      {persisted ? (
        <span title="The browser clears this only when you ask it to">kept permanently</span>
      ) : (
        <KeepStorage />
      )}
    </span>
  );
};
