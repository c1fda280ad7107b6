import type { StoreType } from '../ops/values.ts';

export interface EngineOptions {
  /** Most contexts that decode together; further ones wait for their turn. */
  readonly maxSlots: number;
  /** Tokens of given text that one turn reads. */
  readonly readRows: number;
  /** What keys and values are held in. */
  readonly keys: StoreType;
  /** How long a context waits for memory that contexts at rest hold; not at all by default. */
  readonly patienceMs?: number;
  /** Decodes ids; needed where generation is to end at texts. */
  readonly decode?: (ids: readonly number[]) => string;
}
