import type { Passage } from '../records/records.ts';
import type { Hit, SourceName } from '../records/hits.ts';
import type { VectorTable } from './dense/dense.ts';

/** What one source found, best first, and what the call fetched. */
export interface SourceResult {
  hits: Hit[];
  requests?: number;
  bytes?: number;
  /** Milliseconds from the call to its answer, waiting for a turn included. */
  latencyMs?: number;
  /** The answer came from a cache, or from a call that was under way already. */
  cached?: boolean;
}

/** One place where passages can be looked for. */
export interface Source {
  readonly name: SourceName;
  search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult>;
}

/** Turns text into one unit vector. */
export interface QueryEncoder {
  readonly dimensions: number;
  encodeQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
}

/** Turns passages into unit vectors, row i for passage i. */
export interface PassageEncoder {
  /** Names the encoder and its weights. */
  readonly id: string;
  readonly dimensions: number;
  encodePassages(
    passages: readonly Passage[],
    onProgress?: EncodeProgress,
    signal?: AbortSignal,
  ): Promise<VectorTable>;
}

export type EncodeProgress = (done: number, total: number) => void;

/** Reads query and passage together; only the order of its scores means something. */
export interface Reranker {
  /** Names the model and its weights. */
  readonly id: string;
  /** A score for each passage, in their order; higher is better. */
  score(query: string, passages: readonly Passage[], signal?: AbortSignal): Promise<number[]>;
}

/** Two passages with one title and one text are the same to a reader. */
export const contentKey = (passage: Passage): string => `${passage.title}\n${passage.text}`;
