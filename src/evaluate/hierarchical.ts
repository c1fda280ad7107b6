import { itemAt } from '../base/items.ts';
import { deriveSeed, Random } from '../base/random.ts';
import { mean, quantile } from '../base/statistics.ts';
import type { BootstrapOptions, Interval } from './bootstrap.ts';

/** Intervals by bootstrap over seeds and questions together. */

/** Paired differences of one seed, by world: [worlds][questions]. Every seed has the same questions. */
export type SeedDifferences = readonly (readonly number[])[];

/** What each resample draws: seeds, and then questions of one world after another. */
export interface ResampleDraws {
  resamples: number;
  /** [resamples][seeds] */
  seeds: Int32Array;
  /** [resamples][questions of all worlds], places within their world. */
  questions: Int32Array;
}

/**
 * Draws for values of this shape: equal shapes give equal draws, so that what is resampled with them stays
 * paired.
 * @param sizes questions of each world; worlds without any are left out
 */
export function drawResamples(
  seeds: number,
  sizes: readonly number[],
  { resamples = 2000, seed = 0 }: BootstrapOptions = {},
): ResampleDraws {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const draws: ResampleDraws = {
    resamples,
    seeds: new Int32Array(resamples * seeds),
    questions: new Int32Array(resamples * all),
  };
  for (let r = 0; r < resamples; r++) {
    const random = new Random(deriveSeed(seed, 'resample', r));
    for (let s = 0; s < seeds; s++) draws.seeds[r * seeds + s] = random.below(seeds);
    let at = r * all;
    for (const size of sizes)
      for (let i = 0; i < size; i++) draws.questions[at++] = random.below(size);
  }
  return draws;
}

/**
 * Questions of each world, the same for every seed.
 * @throws RangeError where seeds differ in their questions
 */
export function sizesOf(seeds: readonly SeedDifferences[]): number[] {
  const sizes = (seeds[0] ?? []).map((world) => world.length);
  for (const worlds of seeds)
    if (worlds.map((world) => world.length).join() !== sizes.join())
      throw new RangeError('seeds differ in their questions');
  return sizes;
}

/**
 * Percentile interval of the mean over seeds, worlds and questions, each world counting alike. A
 * resample draws as many seeds with replacement as there are; then, within each world, as many of its
 * questions, the same draw for every seed, since all seeds answer the same questions. Worlds are kept:
 * the interval says nothing of other worlds. With crossed draws it is rather too wide than too narrow
 * in the questions (Owen 2007, the pigeonhole bootstrap, 0712.1111), while two or three seeds know
 * little of how much seeds differ.
 *
 * @param seeds [seeds][worlds][questions]
 * @param drawn draws of this shape, where they are available
 * @throws RangeError where seeds differ in their questions
 */
export function hierarchicalBootstrap(
  seeds: readonly SeedDifferences[],
  options: BootstrapOptions = {},
  drawn?: ResampleDraws,
): Interval {
  const sizes = sizesOf(seeds);
  const worlds = sizes.flatMap((size, place) => (size > 0 ? [place] : []));
  if (worlds.length === 0) return { mean: 0, low: 0, high: 0 };
  const centre = mean(
    seeds.map((one) => mean(worlds.map((place) => mean(itemAt(one, place, 'worlds'))))),
  );
  const kept = worlds.map((place) => itemAt(sizes, place, 'worlds'));
  const draws = drawn ?? drawResamples(seeds.length, kept, options);
  const all = kept.reduce((sum, size) => sum + size, 0);
  const columns = worlds.map((place) =>
    seeds.map((one) => Float64Array.from(itemAt(one, place, 'worlds'))),
  );
  const means = new Float64Array(draws.resamples);
  for (let r = 0; r < draws.resamples; r++) {
    let at = r * all;
    const drawnSeeds = draws.seeds.subarray(r * seeds.length, (r + 1) * seeds.length);
    let total = 0;
    for (const [world, size] of kept.entries()) {
      const drawn = Array.from(drawnSeeds, (seed) => itemAt(itemAt(columns, world), seed));
      let sum = 0;
      for (let i = 0; i < size; i++) {
        // Some 10^8 times for a table: no call here.
        const question = draws.questions[at++] ?? 0;
        for (let s = 0; s < drawn.length; s++) sum += drawn[s]?.[question] ?? 0;
      }
      total += sum / size;
    }
    means[r] = total / (worlds.length * seeds.length);
  }
  const sorted = Array.from(means.sort());
  const tail = (1 - (options.level ?? 0.95)) / 2;
  return { mean: centre, low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) };
}
