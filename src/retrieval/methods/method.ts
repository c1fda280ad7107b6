import type { LearnedCache } from '../cluster/learned.ts';
import type { LiveClusters } from '../cluster/live.ts';
import type { BuildOptions, SamplingOptions } from '../cluster/options.ts';
import type { DenseIndex, Neighbour, VectorTable } from '../dense/dense.ts';
import type { QueryEncoder, Reranker } from '../sources.ts';
import type { CacheableEncoder, VectorCache } from '../vector-cache.ts';

/** Bytes under a name, where they may be gone at any time. */
export interface IndexCache {
  read(name: string): Promise<Uint8Array | null>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export interface LocalParts {
  /** Needed by every method that searches vectors. */
  encoder?: (QueryEncoder & CacheableEncoder) | null;
  reranker?: Reranker | null;
  /** Vectors of the passages where they are known already; row i belongs to passage i. */
  vectors?: VectorTable | null;
  /** Keeps vectors of passages. */
  vectorCache?: VectorCache | null;
  /** Keeps indexes of clusters. */
  indexCache?: IndexCache | null;
  /** Keeps what clusters learn from queries. */
  learnedCache?: LearnedCache | null;
  clusters?: Partial<BuildOptions>;
  sampling?: Partial<SamplingOptions>;
}

const LOCAL_STAGES = ['lexical', 'encode', 'graph', 'clusters'] as const;
export type LocalStage = (typeof LOCAL_STAGES)[number];

export interface LocalHooks {
  /** Passages of a stage that are done; of `clusters`, of its last step. */
  onProgress?: (stage: LocalStage, done: number, total: number) => void;
  signal?: AbortSignal;
}

/** What searches the vectors of the passages. */
export interface DenseAnswers {
  /** `bytes`: what it holds in memory. */
  index: DenseIndex & { readonly bytes: number };
  /** What it is, in a few words. */
  note: string;
  /** Answers in the index's place, where it does more than look up: the `k` nearest of a query. */
  search?: (text: string, vector: Float32Array, k: number) => Neighbour[];
  /** The very index, where it is one of clusters, which learns from queries. */
  clusters?: LiveClusters;
}

/**
 * A way of searching passages on this device. A method that searches words and vectors fuses the two
 * lists by weights that it learns from the passages.
 */
export interface LocalMethod {
  /** As setups, permalinks, stored runs and `--method` name it. */
  id: string;
  /** As menus show it. */
  name: string;
  /** What searches are answered by, in a sentence that says so. */
  way: string;
  /** Whether words are searched (BM25+). */
  words: boolean;
  /**
   * Indexes one vector a passage; null where no vectors are searched and no encoder is needed. Long work
   * gives the event loop turns. @throws the signal's reason when aborted
   */
  dense:
    | ((vectors: VectorTable, parts: LocalParts, hooks: LocalHooks) => Promise<DenseAnswers>)
    | null;
}

/** Hooks of one stage. */
export const staged = (
  { onProgress, signal }: LocalHooks,
  stage: LocalStage,
): { onProgress: (done: number, total: number) => void; signal?: AbortSignal } => ({
  onProgress: (done, total) => onProgress?.(stage, done, total),
  ...(signal && { signal }),
});
