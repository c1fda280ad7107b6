import { useCollections } from '../store/collections-store.ts';

/** Names of collections, one after another; empty for none. */
export const useNames = (ids: readonly string[]): string => {
  const collections = useCollections((state) => state.collections);
  return ids
    .map((id) => collections.find((one) => one.id === id)?.name ?? 'a collection that is gone')
    .join(', ');
};

/** Whether one of them was deleted; false until the list was read. */
export const useGone = (ids: readonly string[]): boolean =>
  useCollections(
    ({ status, collections }) =>
      status === 'ready' && ids.some((id) => !collections.some((one) => one.id === id)),
  );
