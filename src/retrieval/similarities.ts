import type { Passage } from '../records/records.ts';
import { dotRow } from './dense/dense.ts';
import { LruCache } from '../base/lru.ts';
import { contentKey, type PassageEncoder, type QueryEncoder } from './sources.ts';

/** Cosine similarities of a query with passages, in their order. */
export type Similarities = (
  query: string,
  passages: readonly Passage[],
  signal?: AbortSignal,
) => Promise<number[]>;

const CACHED_VECTORS = 4096;

/** Encodes passages when they are met first, and keeps their vectors. */
export function encodedSimilarities(encoder: QueryEncoder & PassageEncoder): Similarities {
  const vectors = new LruCache<Float32Array>(CACHED_VECTORS);
  const vectorOf = async (passage: Passage): Promise<Float32Array> => {
    const key = contentKey(passage);
    const cached = vectors.get(key);
    if (cached) return cached;
    // One a run: padding beside others would change the last bits with what was asked before.
    const { values } = await encoder.encodePassages([passage]);
    vectors.set(key, values);
    return values;
  };
  return async (query, passages, signal) => {
    const vector = await encoder.encodeQuery(query, signal);
    const similarities: number[] = [];
    for (const passage of passages) {
      signal?.throwIfAborted();
      const values = await vectorOf(passage);
      similarities.push(dotRow(vector, { dimensions: encoder.dimensions, values }, 0));
    }
    return similarities;
  };
}
