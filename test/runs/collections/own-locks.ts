import { CollectionBusy } from '../../../src/lab/corpus/collections/passages/errors.ts';
import type { CollectionLocks } from '../../../src/lab/corpus/collections/store.ts';

/** Locks within one thread, where no other tab can write. */
export const ownLocks = (): CollectionLocks => {
  const held = new Set<string>();
  return {
    hold: async (collectionId, work) => {
      if (held.has(collectionId)) throw new CollectionBusy();
      held.add(collectionId);
      try {
        return await work();
      } finally {
        held.delete(collectionId);
      }
    },
    held: () => Promise.resolve(held),
  };
};
