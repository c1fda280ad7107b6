import type { Passage } from '../../../records/records.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import type { ClusterIndex } from '../../../retrieval/cluster/cluster-index.ts';
import type { LiveClusters } from '../../../retrieval/cluster/live.ts';
import { ExactIndex, type Neighbour } from '../../../retrieval/dense/dense.ts';
import type { OpenedVectors } from '../../../retrieval/open-local.ts';
import type {
  ClusterAnswer,
  ClusterHit,
  ClusterLearning,
  ClusterOverview,
  ClusterRow,
} from '../../contract/clusters.ts';

/** What the page of clusters shows of one index. */

/** How deep the exact scan is compared. */
const EXACT_DEPTH = 1000;
const TITLES = 4;
/** Last queries that are shown. */
const RECENT = 20;

/** One index as the page shows it. */
export interface ClusterView {
  clusters: LiveClusters;
  /** Whether it answers searches. */
  answers: boolean;
  passages: readonly Passage[];
  vectors: OpenedVectors;
  rows: ClusterRow[];
}

/** Nearest titles and mean inner product with the centroid, cluster by cluster. */
export function describeClusters(index: ClusterIndex, passages: readonly Passage[]): ClusterRow[] {
  const { centroids, rows, offsets, dimensions } = index.parts;
  return Array.from({ length: offsets.length - 1 }, (_, c) => {
    const centroid = centroids.values.slice(c * dimensions, (c + 1) * dimensions);
    const near = Array.from(rows.subarray(offsets[c], offsets[c + 1]), (row) => ({
      row,
      similarity: index.similarity(centroid, row),
    })).sort((a, b) => b.similarity - a.similarity || a.row - b.row);
    const length = Math.hypot(...centroid) || 1;
    const total = near.reduce((sum, { similarity }) => sum + similarity, 0);
    const titles = new Set(near.map(({ row }) => passages[row]?.title ?? ''));
    return {
      cluster: c,
      size: near.length,
      titles: [...titles].slice(0, TITLES),
      cohesion: total / Math.max(1, near.length) / length,
    };
  });
}

export const learningOf = ({
  changes,
  recent,
  recallable,
  index,
}: LiveClusters): ClusterLearning => ({
  ...index.learned,
  changes,
  recallable,
  recent: recent.slice(0, RECENT),
});

export function overviewOf(
  { clusters, answers, vectors, rows }: ClusterView,
  spec: LocalSpec,
): ClusterOverview {
  const { index, kept, openedMs, stored } = clusters;
  const { parts } = index;
  return {
    kind: 'clusters',
    method: spec.kind === 'built-in' ? 'hybrid' : spec.method,
    answers,
    kept,
    encoder: vectors.encoder.id,
    passages: index.size,
    dimensions: index.dimensions,
    bytes: index.bytes,
    vectorBytes: 4 * index.size * index.dimensions,
    openedMs,
    stored,
    subspaces: parts.quantizer.subspaces,
    refineBits: parts.refinement?.bits ?? 0,
    dissolved: parts.dissolved,
    choice: parts.choice,
    sampling: index.sampling,
    clusters: rows,
    learning: learningOf(clusters),
  };
}

/** Searches by clusters, which learn from it, and by the exact scan. */
export function answerOf(
  { clusters, passages }: ClusterView,
  exact: ExactIndex,
  query: string,
  vector: Float32Array,
  k: number,
): ClusterAnswer {
  // Deeper than what is timed, for the ranks of what only the clusters found; it also warms up.
  const order = exact.search(vector, Math.max(k, EXACT_DEPTH));
  const exactStart = performance.now();
  exact.search(vector, k);
  const start = performance.now();
  const found = clusters.search(query, vector, k);
  const end = performance.now();
  const { neighbours, trace } = found;
  const ranks = new Map(order.map(({ index: row }, i) => [row, i + 1]));
  const hits = neighbours.flatMap(({ index: row, similarity }, i): ClusterHit[] => {
    const passage = passages[row];
    if (!passage) return [];
    const { title, text } = passage;
    const exactRank = ranks.get(row) ?? null;
    return [{ row, title, text, cluster: found.clusters[i] ?? 0, similarity, exactRank }];
  });
  return {
    query,
    trace,
    hits,
    missed: missedOf(order.slice(0, k), neighbours, ({ index: row }, i) => ({
      row,
      title: passages[row]?.title ?? '',
      exactRank: i + 1,
      cluster: clusters.index.clusterOf(row),
    })),
    clusterMs: end - start,
    exactMs: start - exactStart,
    learning: learningOf(clusters),
  };
}

function missedOf<Missed>(
  best: readonly Neighbour[],
  neighbours: readonly Neighbour[],
  told: (one: Neighbour, place: number) => Missed,
): Missed[] {
  const found = new Set(neighbours.map(({ index: row }) => row));
  return best.flatMap((one, i) => (found.has(one.index) ? [] : [told(one, i)]));
}
