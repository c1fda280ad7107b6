import { useEffect, useState } from 'react';
import { useTrain, type StorageFacts } from '../train/store/train-store.ts';

/** Anything may store something: runs, imports, downloads, the page itself for offline use. */
const EVERY_MS = 5000;

const read = async (): Promise<StorageFacts | null> => {
  const [estimate, persisted] = await Promise.all([
    navigator.storage?.estimate(),
    navigator.storage?.persisted?.() ?? false,
  ]);
  return estimate
    ? { usedBytes: estimate.usage ?? 0, quotaBytes: estimate.quota ?? 0, persisted }
    : null;
};

const same = (a: StorageFacts | null, b: StorageFacts | null): boolean =>
  a?.usedBytes === b?.usedBytes && a?.quotaBytes === b?.quotaBytes && a?.persisted === b?.persisted;

/**
 * What this origin stores, of how much, and whether the browser may clear it; null where the browser
 * does not say. Read again every few seconds while the page is seen, and at once with each checkpoint.
 */
export const useStorageUse = (): StorageFacts | null => {
  const [facts, setFacts] = useState<StorageFacts | null>(null);
  useEffect(() => {
    let live = true;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      // Drawn again only where it changed.
      const now = await read().catch(() => null);
      if (live) setFacts((before) => (same(before, now) ? before : now));
    };
    const asked = () => void look();
    asked();
    const timer = setInterval(asked, EVERY_MS);
    document.addEventListener('visibilitychange', asked);
    const told = useTrain.subscribe(({ storage }, before) => {
      if (storage !== before.storage) asked();
    });
    return () => {
      live = false;
      told();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', asked);
    };
  }, []);
  return facts;
};
