import type { Failure } from './records/failure.ts';

/** How far the loading of something is. */

export type PartName = 'world' | 'retrieval' | 'policy';

/**
 * What a page can need: the policy with its engines; the sources that runs search, which are the world
 * with its questions and the retriever with its encoder.
 */
export type Need = 'policy' | 'sources';

/** The parts that are loaded for a need. */
export const PARTS_OF: Readonly<Record<Need, readonly PartName[]>> = {
  policy: ['policy'],
  sources: ['world', 'retrieval'],
};

export interface PartState {
  status: 'waiting' | 'loading' | 'ready' | 'failed';
  /** What is being done or what was loaded, in a few words. */
  note: string;
  loadedBytes: number;
  /** 0 where it is not known. */
  totalBytes: number;
  /** In place of bytes, where only this is known: 0 to 1. */
  share?: number;
  /** Milliseconds that it still takes at the pace so far, where that is known. */
  leftMs?: number;
  failure: Failure | null;
}

export type Parts = Record<PartName, PartState>;

/** How far something is that has no bytes to count. */
export interface PartShare {
  /** 0 to 1. */
  share: number;
  leftMs?: number;
}

export interface ByteProgress {
  loaded: number;
  /** 0 where it is not known of every file. */
  total: number;
}

/** Of what has no bytes to count: in the place of those that were counted before. */
export const NO_BYTES: ByteProgress = { loaded: 0, total: 0 };
