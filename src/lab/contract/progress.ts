import type { Failure } from './records/failure.ts';

/** How far the loading of something is. */

export type PartName = 'world' | 'retrieval' | 'policy';

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
  /** 0 where the server does not say. */
  total: number;
}
