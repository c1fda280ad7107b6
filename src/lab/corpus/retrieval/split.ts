import { fnv1a } from '../../../base/hash.ts';

/** Shares of imported questions, in percent: the rest is for training. */
const [TEST, DEV] = [15, 15];

/**
 * Imported questions have no split of ours. Each falls, by a hash of its id, into one that is the same
 * on every device and does not change when others are added: 70 % train, 15 % dev, 15 % test.
 */
export function splitOf(id: string): 'train' | 'dev' | 'test' {
  let hash = fnv1a(id);
  // Its low bits alone are not mixed well enough for short ids.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const percent = ((hash ^ (hash >>> 12)) >>> 0) % 100;
  if (percent < TEST) return 'test';
  return percent < TEST + DEV ? 'dev' : 'train';
}
