import type { ClusterParts } from '../../retrieval/cluster/build.ts';
import { ClusterIndex } from '../../retrieval/cluster/cluster-index.ts';
import { ExactIndex, type Neighbour, type VectorTable } from '../../retrieval/dense/dense.ts';

/** Forage's own search results of an exported index: the reference for FAISS, and the numbers of the README. */

/** How deep order and scores are compared. */
const COMPARED = 20;
/** How deep recall is measured. */
export const RECALL_DEPTH = 10;
/** Queries whose vectors are written out. */
const WRITTEN = 16;

export interface EncodedQuery {
  text: string;
  vector: Float32Array;
}

/** A line of `expected.json`. */
export interface Expected {
  query: string;
  vector: number[];
  /** Row and score, best first, when every list is visited. */
  neighbours: [row: number, score: number][];
}

export interface Measured {
  queries: number;
  /** Mean share of the exact scan's best 10 that are found when this many lists are visited. */
  recall: { probes: number; recall: number }[];
  /** The same by Forage's second stage over every list; null where the index has none. */
  refined: number | null;
}

/** Visits the `probes` nearest lists whole, as FAISS does: no learned weights, no budget of candidates. */
function probed(
  parts: ClusterParts,
  probes: number,
): (query: Float32Array, k: number) => Neighbour[] {
  const index = new ClusterIndex(parts, { considered: probes, candidates: parts.rows.length });
  return (query, k) => index.trace(query, k, { learn: false }).neighbours;
}

export function expectedOf(parts: ClusterParts, queries: readonly EncodedQuery[]): Expected[] {
  const search = probed({ ...parts, refinement: null }, parts.offsets.length - 1);
  return queries.slice(0, WRITTEN).map(({ text, vector }) => ({
    query: text,
    vector: [...vector],
    neighbours: search(vector, COMPARED).map(({ index, similarity }) => [index, similarity]),
  }));
}

/** @param probes numbers of lists, each measured */
export function measure(
  parts: ClusterParts,
  vectors: VectorTable,
  queries: readonly EncodedQuery[],
  probes: readonly number[],
): Measured {
  const exact = new ExactIndex(vectors);
  const truth = queries.map(
    ({ vector }) => new Set(exact.search(vector, RECALL_DEPTH).map(({ index }) => index)),
  );
  const recallOf = (of: ClusterParts, count: number): number => {
    const search = probed(of, count);
    const shares = queries.map(({ vector }, i) => {
      const there = truth[i] ?? new Set<number>();
      const found = search(vector, RECALL_DEPTH).filter(({ index }) => there.has(index));
      return found.length / Math.max(1, there.size);
    });
    return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  };
  const plain = { ...parts, refinement: null };
  return {
    queries: queries.length,
    recall: probes.map((count) => ({ probes: count, recall: recallOf(plain, count) })),
    refined: parts.refinement && recallOf(parts, parts.offsets.length - 1),
  };
}
