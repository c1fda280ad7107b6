import { CollectionBusy } from './passages/errors.ts';

/**
 * One tab at a time writes a collection: it holds the collection's lock meanwhile. The browser lets go
 * of it when the tab dies, however it dies, so an open import without a lock was interrupted.
 */
export interface CollectionLocks {
  /** @throws CollectionBusy where another tab holds it */
  hold<T>(collectionId: string, work: () => Promise<T>): Promise<T>;
  /** Collections that some tab of this browser is writing. */
  held(): Promise<ReadonlySet<string>>;
}

const PREFIX = 'forage-collection-';

export const webLocks = (locks: LockManager): CollectionLocks => ({
  hold: async (collectionId, work) =>
    locks.request(`${PREFIX}${collectionId}`, { ifAvailable: true }, (lock) => {
      if (!lock) throw new CollectionBusy();
      return work();
    }),
  held: async () => {
    const { held = [] } = await locks.query();
    return new Set(
      held.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])),
    );
  },
});
