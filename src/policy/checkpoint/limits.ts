import type { PolicyConfig } from './config.ts';

/**
 * Contexts of a checkpoint from elsewhere: published limits (32,768 and more) are not what a key-value
 * cache on this device holds, and no recipe here needs them.
 */
const LONGEST_CONTEXT = 4096;
const MOST_SLOTS = 16;

/** What the key-value cache of a checkpoint from elsewhere is made for. */
export interface CacheLimits {
  /** Most tokens of one context. */
  maxContext: number;
  /** Most contexts at a time. */
  maxSlots: number;
}

export const cacheLimits = ({ maxPositions }: PolicyConfig): CacheLimits => ({
  maxContext: Math.min(maxPositions, LONGEST_CONTEXT),
  maxSlots: MOST_SLOTS,
});
