import { UNDO_MS } from '../contract/undo.ts';

/** How often deletions are looked for whose time for an undo is over, ms. */
const EVERY_MS = 30_000;

/** Deletions before this time can no longer be undone, ISO. */
export const undoEnded = (now = Date.now()): string => new Date(now - UNDO_MS).toISOString();

/**
 * Frees the space of deletions that can no longer be undone, now and for as long as the worker lives.
 *
 * @param stores each removes for good what was deleted before a time, ISO; one that fails is tried again
 * @returns ends it
 */
export function freeDeleted(stores: readonly ((before: string) => Promise<unknown>)[]): () => void {
  const free = (): void => {
    for (const purge of stores) purge(undoEnded()).catch(() => undefined);
  };
  free();
  const timer = setInterval(free, EVERY_MS);
  return () => clearInterval(timer);
}
