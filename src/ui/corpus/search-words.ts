import { useCollections } from './store/collections-store.ts';

/** Names of collections, joined; empty for none, … until the list is loaded. */
export const useNames = (ids: readonly string[]): string => {
  const { status, collections } = useCollections();
  const unknown = status === 'ready' ? 'a deleted collection' : '…';
  return ids.map((id) => collections.find((one) => one.id === id)?.name ?? unknown).join(', ');
};

/** Whether one of them was deleted; false until the list is loaded. */
export const useGone = (ids: readonly string[]): boolean =>
  useCollections(
    ({ status, collections }) =>
      status === 'ready' && ids.some((id) => !collections.some((one) => one.id === id)),
  );
