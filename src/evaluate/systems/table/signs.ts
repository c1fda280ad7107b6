import { itemAt } from '../../../base/items.ts';
import { deriveSeed, Random } from '../../../base/random.ts';

/** Whether paired differences are more than chance. */

/** Up to this many differences all sign flips are counted: 2^14. */
const EXACT = 14;
const BLOCK = 8;
/** Sums in another order differ by rounding alone. */
const SLACK = 1e-9;

/** Sums of a block of up to eight values under each choice of signs; bit i set: value i is turned. */
function blockSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(1 << values.length);
  for (let flips = 0; flips < sums.length; flips++)
    for (const [i, value] of values.entries())
      sums[flips] = itemAt(sums, flips) + (flips & (1 << i) ? -value : value);
  return sums;
}

function blocksOf(values: readonly number[]): Float64Array[] {
  const blocks: Float64Array[] = [];
  for (let at = 0; at < values.length; at += BLOCK)
    blocks.push(blockSums(values.slice(at, at + BLOCK)));
  return blocks;
}

/**
 * Two-sided p-value of the sign-flip permutation test (Fisher's randomization test for paired samples; for
 * retrieval: Smucker, Allan and Carterette, CIKM 2007): under the hypothesis that two systems are alike,
 * each question's difference may as well have the other sign. The statistic is the mean over worlds of
 * the mean difference. Up to 14 questions that differ, all flips are counted; else 9,999 are drawn, and
 * p = (1 + as extreme) / (1 + drawn) (Phipson and Smyth 2010, 1603.05766), which is never 0.
 *
 * @param worlds differences by world: [worlds][questions]
 * @returns 1 where nothing differs
 */
export function signFlipTest(
  worlds: readonly (readonly number[])[],
  { flips = 9999, seed = 0 }: { flips?: number; seed?: number } = {},
): number {
  const some = worlds.filter((world) => world.length > 0);
  // Each world counts alike. What does not differ is the same with either sign.
  const values = some.flatMap((world) =>
    world.filter((value) => value !== 0).map((value) => value / world.length / some.length),
  );
  const scale = values.reduce((sum, value) => sum + Math.abs(value), 0);
  if (scale === 0) return 1;
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0)) - SLACK * scale;
  const blocks = blocksOf(values);
  const mean = (signs: (block: number) => number): number =>
    Math.abs(blocks.reduce((sum, sums, i) => sum + itemAt(sums, signs(i) & (sums.length - 1)), 0));
  let extreme = 0;
  if (values.length <= EXACT) {
    const all = 1 << values.length;
    for (let choice = 0; choice < all; choice++)
      if (mean((block) => choice >> (BLOCK * block)) >= observed) extreme++;
    return extreme / all;
  }
  const random = new Random(deriveSeed(seed, 'signs'));
  const bytes = new Uint8Array(blocks.length);
  for (let i = 0; i < flips; i++) {
    for (let b = 0; b < bytes.length; b += 4) {
      const word = random.bits();
      for (let part = 0; part < 4; part++) bytes[b + part] = word >>> (8 * part);
    }
    // Some 10^8 times for a table: no call here.
    let total = 0;
    for (let b = 0; b < blocks.length; b++) {
      const sums = blocks[b];
      if (sums) total += sums[(bytes[b] ?? 0) & (sums.length - 1)] ?? 0;
    }
    if (Math.abs(total) >= observed) extreme++;
  }
  return (1 + extreme) / (1 + flips);
}
