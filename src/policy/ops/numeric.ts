/**
 * Exponential, logarithm and random numbers from IEEE operations only. The engine's own
 * Math.exp and Math.log may differ in the last bit from one JavaScript engine to the next, and one
 * bit is enough to choose another token.
 */

const LOG2E = Math.LOG2E;
const LN2_HIGH = 0.69314718036912381649;
const LN2_LOW = 1.90821492927058770002e-10;
/** 1.5 · 2^52: added and taken off again, it rounds to the nearest integer. */
const ROUNDING = 6_755_399_441_055_744;
/** Below, a weight is taken as 0: it never matters beside the largest, which is 1. */
export const LOWEST = -700;
/** 2^-k for k = 0 … 1022. */
const POWERS = Float64Array.from({ length: 1023 }, (_, k) => 2 ** -k);

/**
 * e^x for x <= 0, relative error below 1e-9. The kernel `weigh` does the same operations in the same
 * order.
 */
export function weightOf(x: number): number {
  if (x < LOWEST) return 0;
  const n = x * LOG2E + ROUNDING - ROUNDING;
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let p = 1 / 40320;
  p = p * r + 1 / 5040;
  p = p * r + 1 / 720;
  p = p * r + 1 / 120;
  p = p * r + 1 / 24;
  p = p * r + 1 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return p * (POWERS[-n] ?? 0);
}

/** Natural logarithm of x >= 1: x = m 2^k with m near 1, ln m = 2 atanh((m - 1) / (m + 1)). */
export function logAtLeastOne(x: number): number {
  let k = 0;
  let m = x;
  while (m > Math.SQRT2) {
    m /= 2;
    k++;
  }
  const s = (m - 1) / (m + 1);
  const s2 = s * s;
  let sum = 0;
  for (let n = 19; n >= 1; n -= 2) sum = sum * s2 + 1 / n;
  return 2 * s * sum + k * LN2_HIGH + k * LN2_LOW;
}

/** High 32 bits of the product of two unsigned 32-bit integers. */
function multiplyHigh(a: number, b: number): number {
  const [aHigh, aLow, bHigh, bLow] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const low = aLow * bLow;
  const mid1 = aHigh * bLow + (low >>> 16);
  const mid2 = aLow * bHigh + (mid1 % 65536);
  return (aHigh * bHigh + Math.floor(mid1 / 65536) + Math.floor(mid2 / 65536)) >>> 0;
}

/**
 * Uniform number in [0, 1) with 53 bits for draw `counter` of stream `seed`: Philox2x32-10
 * (Salmon et al. 2011). It depends on nothing else, so that batches may be cut in any way.
 */
export function uniform(seed: number, counter: number): number {
  let [left, right, key] = [counter >>> 0, Math.floor(counter / 2 ** 32) >>> 0, seed >>> 0];
  for (let round = 0; round < 10; round++) {
    const high = multiplyHigh(0xd256d193, left);
    const low = Math.imul(0xd256d193, left) >>> 0;
    left = (high ^ key ^ right) >>> 0;
    right = low;
    key = (key + 0x9e3779b9) >>> 0;
  }
  return ((left >>> 5) * 67_108_864 + (right >>> 6)) / 9_007_199_254_740_992;
}
