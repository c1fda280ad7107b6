import type { StoreType } from '../ops/values.ts';

export interface EngineOptions {
  /** Largest number of contexts in a decode batch; further ones wait. */
  readonly maxSlots: number;
  /** Tokens per prefill step. */
  readonly prefillChunk: number;
  /** Number type of the KV cache. */
  readonly keys: StoreType;
  /** How long to wait for idle sessions to release memory, in ms (default 0). */
  readonly memoryWaitMs?: number;
  /** Decodes ids; needed for stop texts. */
  readonly decode?: (ids: readonly number[]) => string;
}
