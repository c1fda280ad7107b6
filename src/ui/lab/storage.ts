import { useEffect, useState } from 'react';
import { usedBytes } from '../../lab/storage/quota.ts';

/** Storage use of this origin, for every page that shows it. */

export interface StorageFacts {
  usedBytes: number;
  quotaBytes: number;
  /** Whether the browser promised not to clear it. */
  persisted: boolean;
}

const listeners = new Set<() => void>();

/** Call after storing or deleting something large: the numbers are read again at once. */
export const storageChanged = (): void => listeners.forEach((look) => look());

/** Polling interval, because runs, imports, downloads and the offline cache all store data. */
const EVERY_MS = 5000;

/**
 * Asks the browser never to clear the storage by itself; false where it refuses or does not offer it.
 * Only a page may ask, not a worker.
 */
export const keepStorage = async (): Promise<boolean> => {
  try {
    const kept = await navigator.storage.persist();
    storageChanged();
    return kept;
  } catch {
    return false;
  }
};

const read = async (): Promise<StorageFacts | null> => {
  const [estimate, persisted] = await Promise.all([
    navigator.storage?.estimate(),
    navigator.storage?.persisted?.() ?? false,
  ]);
  return estimate
    ? { usedBytes: usedBytes(estimate), quotaBytes: estimate.quota ?? 0, persisted }
    : null;
};

const same = (a: StorageFacts | null, b: StorageFacts | null): boolean =>
  a?.usedBytes === b?.usedBytes && a?.quotaBytes === b?.quotaBytes && a?.persisted === b?.persisted;

/**
 * Storage use, quota and persistence of this origin; null if the browser does not report it. Polled
 * while the page is visible, and read at once after `storageChanged`.
 */
export const useStorageUse = (): StorageFacts | null => {
  const [facts, setFacts] = useState<StorageFacts | null>(null);
  useEffect(() => {
    let live = true;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      // Renders only on changes.
      const now = await read().catch(() => null);
      if (live) setFacts((before) => (same(before, now) ? before : now));
    };
    const asked = () => void look();
    asked();
    const timer = setInterval(asked, EVERY_MS);
    document.addEventListener('visibilitychange', asked);
    listeners.add(asked);
    return () => {
      live = false;
      listeners.delete(asked);
      clearInterval(timer);
      document.removeEventListener('visibilitychange', asked);
    };
  }, []);
  return facts;
};
