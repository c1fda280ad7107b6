import type { Hit, SearchTarget, SourceName } from '../records/hits.ts';

/** What the agent needs of retrieval. */

export interface Retrieval {
  query: string;
  source: SearchTarget;
  hits: Hit[];
  /** Wall time of the call in milliseconds, the added delay included. */
  latencyMs: number;
  /** The part of latencyMs that the user asked to be added. */
  addedDelayMs: number;
  /** Files and bytes fetched by this call (web). */
  requests?: number;
  bytes?: number;
  /** Sources of `both` that failed while the other one answered. */
  failures?: SourceFailure[];
}

export interface SourceFailure {
  source: SourceName;
  message: string;
}

export interface Retriever {
  search(source: SearchTarget, query: string, k: number, signal?: AbortSignal): Promise<Retrieval>;
}
