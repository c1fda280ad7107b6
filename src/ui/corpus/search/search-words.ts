import type { LocalMethod } from '../../../records/setup.ts';
import { useCollections } from '../store/collections-store.ts';

/** How methods of searching are called, and collections by their names. */

export const METHOD_WORDS: Readonly<Record<LocalMethod, string>> = {
  lexical: 'lexical (BM25)',
  flat: 'dense, exact',
  hnsw: 'dense, HNSW',
  cluster: 'dense, clusters',
  hybrid: 'hybrid (BM25 + dense)',
};

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
