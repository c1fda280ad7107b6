import type { Passage } from '../../data/records.ts';
import { ClusterIndex, SAMPLING_DEFAULTS } from '../../retrieval/cluster/index.ts';
import { ExactIndex, type VectorTable } from '../../retrieval/dense.ts';
import { openClusters, type IndexCache } from '../../retrieval/open-local.ts';
import type { QueryEncoder } from '../../retrieval/sources.ts';
import type {
  ClusterAnswer,
  ClusterApi,
  ClusterHit,
  ClusterOverview,
  ClusterProgress,
  ClusterRow,
} from './cluster-messages.ts';

/** How deep the exact scan is compared. */
const EXACT_DEPTH = 1000;
const TITLES = 4;

/** A corpus with the vectors of its passages and the encoder that made them. */
export interface ClusterCorpus {
  passages: readonly Passage[];
  vectors: VectorTable;
  encoder: QueryEncoder & { readonly id: string };
}

interface Opened {
  index: ClusterIndex;
  exact: ExactIndex;
  corpus: ClusterCorpus;
  /** Titles and cohesion of every cluster: they do not change. */
  fixed: { titles: string[]; cohesion: number }[];
  hits: Int32Array;
  openedMs: number;
  stored: boolean;
}

/** Clusters of the local corpus, for the page that shows them: the side that runs in a worker. */
export class ClusterHost implements ClusterApi {
  readonly #corpus: () => Promise<ClusterCorpus>;
  readonly #cache: IndexCache | null;
  #opening: Promise<Opened> | null = null;
  #abort: AbortController | null = null;
  #progress: ClusterProgress | null = null;

  constructor(corpus: () => Promise<ClusterCorpus>, cache: IndexCache | null = null) {
    this.#corpus = corpus;
    this.#cache = cache;
  }

  async overview(): Promise<ClusterOverview> {
    return overviewOf(await this.#open());
  }

  async progress(): Promise<ClusterProgress | null> {
    return this.#progress;
  }

  async stop(): Promise<void> {
    this.#abort?.abort(new Error('The building of clusters was stopped.'));
  }

  async search(query: string, k: number): Promise<ClusterAnswer> {
    const opened = await this.#open();
    const { index, exact, corpus } = opened;
    const vector = await corpus.encoder.encodeQuery(query);
    const start = performance.now();
    const { neighbours, clusters, trace } = index.trace(vector, k);
    const clusterMs = performance.now() - start;
    // Deeper than what is timed, for the ranks of what only the clusters found; it also warms up.
    const order = exact.search(vector, Math.max(k, EXACT_DEPTH));
    const exactStart = performance.now();
    exact.search(vector, k);
    const exactMs = performance.now() - exactStart;
    for (const cluster of clusters) opened.hits[cluster]!++;
    const ranks = new Map(order.map(({ index: row }, i) => [row, i + 1]));
    const found = new Set(neighbours.map(({ index: row }) => row));
    return {
      query,
      trace,
      hits: neighbours.flatMap(({ index: row, similarity }, i): ClusterHit[] => {
        const passage = corpus.passages[row];
        if (!passage) return [];
        const { title, text } = passage;
        const exactRank = ranks.get(row) ?? null;
        return [{ title, text, cluster: clusters[i] ?? 0, similarity, exactRank }];
      }),
      missed: order.slice(0, k).flatMap(({ index: row }, i) =>
        found.has(row)
          ? []
          : [
              {
                title: corpus.passages[row]?.title ?? '',
                exactRank: i + 1,
                cluster: index.clusterOf(row),
              },
            ],
      ),
      clusterMs,
      exactMs,
    };
  }

  async learn(queries: readonly string[], k: number): Promise<ClusterOverview> {
    const opened = await this.#open();
    for (const query of queries) {
      const { clusters } = opened.index.trace(await opened.corpus.encoder.encodeQuery(query), k);
      for (const cluster of clusters) opened.hits[cluster]!++;
    }
    return overviewOf(opened);
  }

  async forget(): Promise<ClusterOverview> {
    const opened = await this.#open();
    opened.index = new ClusterIndex(opened.index.parts);
    opened.hits.fill(0);
    return overviewOf(opened);
  }

  #open(): Promise<Opened> {
    if (this.#opening) return this.#opening;
    const abort = new AbortController();
    this.#abort = abort;
    const opening = this.#openNow(abort.signal).finally(() => {
      this.#progress = null;
    });
    this.#opening = opening;
    // After a failure the next call tries again.
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return opening;
  }

  async #openNow(signal: AbortSignal): Promise<Opened> {
    this.#progress = { stage: 'waiting for the corpus', done: 0, total: 0 };
    const corpus = await this.#corpus();
    signal.throwIfAborted();
    const start = performance.now();
    let built = false;
    this.#progress = { stage: 'reading', done: 0, total: 0 };
    const index = await openClusters(
      corpus.vectors,
      { indexCache: this.#cache },
      {
        signal,
        onProgress: (_, done, total) => {
          built = true;
          this.#progress = { stage: 'building', done, total };
        },
      },
    );
    const exact = new ExactIndex(corpus.vectors);
    const openedMs = performance.now() - start;
    const fixed = describeClusters(index, corpus.passages);
    const hits = new Int32Array(fixed.length);
    return { index, exact, corpus, fixed, hits, openedMs, stored: !built };
  }
}

/** Nearest titles and mean inner product with the centroid, cluster by cluster. */
function describeClusters(
  index: ClusterIndex,
  passages: readonly Passage[],
): { titles: string[]; cohesion: number }[] {
  const { centroids, rows, offsets, dimensions } = index.parts;
  return Array.from({ length: offsets.length - 1 }, (_, c) => {
    const centroid = centroids.values.slice(c * dimensions, (c + 1) * dimensions);
    const near = Array.from(rows.subarray(offsets[c], offsets[c + 1]), (row) => ({
      row,
      similarity: index.similarity(centroid, row),
    })).sort((a, b) => b.similarity - a.similarity || a.row - b.row);
    const length = Math.hypot(...centroid) || 1;
    const titles = new Set(near.map(({ row }) => passages[row]?.title ?? ''));
    return {
      titles: [...titles].slice(0, TITLES),
      cohesion:
        near.reduce((sum, { similarity }) => sum + similarity, 0) /
        Math.max(1, near.length) /
        length,
    };
  });
}

function overviewOf({ index, corpus, fixed, hits, openedMs, stored }: Opened): ClusterOverview {
  const { parts } = index;
  const { queries, weights } = index.learned;
  return {
    encoder: corpus.encoder.id,
    passages: index.size,
    dimensions: index.dimensions,
    bytes: index.bytes,
    vectorBytes: corpus.vectors.values.byteLength,
    openedMs,
    stored,
    subspaces: parts.quantizer.subspaces,
    refineBits: parts.refinement?.bits ?? 0,
    dissolved: parts.dissolved,
    choice: parts.choice,
    sampling: SAMPLING_DEFAULTS,
    queries,
    clusters: fixed.map(({ titles, cohesion }, cluster): ClusterRow => ({
      cluster,
      size: parts.offsets[cluster + 1]! - parts.offsets[cluster]!,
      weight: weights[cluster]!,
      hits: hits[cluster]!,
      cohesion,
      titles,
    })),
  };
}
