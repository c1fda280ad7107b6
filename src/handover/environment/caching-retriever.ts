import { LruCache } from '../../base/lru.ts';
import { retrieverByMethod, type Retrieval, type Retriever } from '../../retrieval/retriever.ts';

/** Searches that are remembered: some steps' worth. */
const SEARCHES = 4096;

/**
 * A retriever that searches for one thing once: the rollouts of a group ask the same again and again. For
 * sources that always answer alike and soon, such as a world or a corpus in memory; what a search engine
 * answers has a cache of its own. A repeated search takes the time that it takes, and fetches nothing.
 */
export function cachingRetriever(
  base: Retriever,
  now: () => number = () => performance.now(),
): Retriever {
  const known = new LruCache<Promise<Retrieval>>(SEARCHES);
  const others = new Map<string, Retriever>();
  return {
    ...(base.by && {
      by: (method: string) => {
        const found = others.get(method) ?? cachingRetriever(retrieverByMethod(base, method), now);
        others.set(method, found);
        return found;
      },
    }),
    async search(source, query, k, signal) {
      signal?.throwIfAborted();
      const start = now();
      const key = JSON.stringify([source, k, query]);
      const before = known.get(key);
      // Others may wait for it too: it is not ended with one rollout.
      const asked = before ?? base.search(source, query, k);
      if (!before) known.set(key, asked);
      try {
        const found = await asked;
        if (found.failures) known.delete(key);
        signal?.throwIfAborted();
        const { requests, bytes } = before ? { requests: 0, bytes: 0 } : found;
        return {
          ...found,
          hits: [...found.hits],
          latencyMs: before ? now() - start : found.latencyMs,
          ...(found.requests !== undefined && requests !== undefined && { requests }),
          ...(found.bytes !== undefined && bytes !== undefined && { bytes }),
        };
      } catch (error) {
        if (!signal?.aborted) known.delete(key);
        throw error;
      }
    },
  };
}
