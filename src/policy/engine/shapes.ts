/**
 * Positions that one prefill call reads, and the length of the ring of recent positions. Chunks lie
 * at multiples of it, so that where a chunk ends depends on the position alone, never on timing.
 */
export const CHUNK = 32;

/** At least this many decode steps fit between two writes of the ring into the main store. */
const FLUSH_EVERY = CHUNK / 2;

/** Most sessions that one prefill call reads for. */
export const PREFILL_SLOTS = 8;

/** Sizes for which kernels are made; work is padded to the smallest that fits. */
export interface Buckets {
  /**
   * Slot counts of decoding. Multiples of four: below, jax-js sums a row in another order, and rows
   * would differ in their last bits.
   */
  readonly decode: readonly number[];
  /** Slot counts of prefill, whose rows are the tokens of a chunk and so many in any case. */
  readonly prefill: readonly number[];
  /** Positions a slot's main store can hold; contexts grow from one to the next. */
  readonly capacity: readonly number[];
}

/** For WASM, where kernels are compiled in a millisecond and padding is computed in full. */
export const FINE_BUCKETS: Buckets = {
  decode: [4, 8, 16, 32, 64],
  prefill: [1, 2, 4, PREFILL_SLOTS],
  capacity: [64, 128, 256, 384, 512, 768, 1024],
};

/** For GPUs, where a shader takes long to compile and padding costs little. */
export const COARSE_BUCKETS: Buckets = {
  decode: [4, 16, 64],
  prefill: [PREFILL_SLOTS],
  capacity: [256, 512, 1024],
};

/** The smallest size that holds `count`; beyond the table, the next multiple of its last. */
export function bucketOf(sizes: readonly number[], count: number): number {
  const last = sizes.at(-1)!;
  return sizes.find((size) => size >= count) ?? Math.ceil(count / last) * last;
}

/**
 * First position that a query at `position` reads from the ring; earlier ones come from the main
 * store. It depends on the position alone, so that the order of every sum does too.
 */
export function ringStart(position: number): number {
  return Math.max(0, (Math.floor(position / FLUSH_EVERY) - 1) * FLUSH_EVERY);
}
