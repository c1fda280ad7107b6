/**
 * Positions that one prefill call reads, and the length of the ring of recent positions. Chunks lie
 * at multiples of it, so that where a chunk ends depends on the position alone, never on timing.
 */
export const CHUNK = 32;

/** At least this many decode steps fit between two writes of the ring into the main store. */
export const FLUSH_EVERY = CHUNK / 2;

/**
 * Slot counts for which decoding kernels are made; a batch uses the smallest that fits. Multiples of
 * four: below, jax-js sums a row in another order, and rows would differ in their last bits.
 */
const SLOT_BUCKETS = [4, 8, 16, 32, 64] as const;

/** Slot counts of prefill, whose rows are the tokens of a chunk and so many in any case. */
const PREFILL_BUCKETS = [1, 2, 4, 8] as const;

/** Positions a slot's main store can hold; contexts grow from one to the next. */
const CAPACITY_BUCKETS = [64, 128, 256, 384, 512, 768, 1024] as const;

/** Most sessions that one prefill call reads for. */
export const PREFILL_SLOTS = 8;

/** Smallest slot bucket that holds `count` decoding sessions. */
export function slotBucket(count: number): number {
  const bucket = SLOT_BUCKETS.find((size) => size >= count);
  return bucket ?? Math.ceil(count / 64) * 64;
}

/** Smallest slot bucket that holds `count` (at most PREFILL_SLOTS) sessions being read for. */
export function prefillBucket(count: number): number {
  return PREFILL_BUCKETS.find((size) => size >= count) ?? PREFILL_SLOTS;
}

/** Smallest capacity bucket that holds `positions`; beyond the table, the next multiple of 512. */
export function capacityBucket(positions: number): number {
  const bucket = CAPACITY_BUCKETS.find((size) => size >= positions);
  return bucket ?? Math.ceil(positions / 512) * 512;
}

/**
 * First position that a query at `position` reads from the ring; earlier ones come from the main
 * store. It depends on the position alone, so that the order of every sum does too.
 */
export function ringStart(position: number): number {
  return Math.max(0, (Math.floor(position / FLUSH_EVERY) - 1) * FLUSH_EVERY);
}
