import { itemAt } from '../../base/items.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import { mean, quantile } from '../../base/statistics.ts';
import type { BootstrapOptions, Interval } from '../bootstrap.ts';

/** Intervals by bootstrap over seeds and questions together. */

/** Paired differences of one seed, by world: [worlds][questions]. Every seed has the same questions. */
export type SeedDifferences = readonly (readonly number[])[];

/**
 * Percentile interval of the mean over seeds, worlds and questions, each world counting alike. A
 * resample draws as many seeds with replacement as there are; then, within each world, as many of its
 * questions, the same draw for every seed, since all seeds answer the same questions. Worlds are kept:
 * the interval says nothing of other worlds. With crossed draws it is rather too wide than too narrow
 * in the questions (Owen 2007, the pigeonhole bootstrap, 0712.1111), while two or three seeds know
 * little of how much seeds differ.
 *
 * @param seeds [seeds][worlds][questions]
 * @throws RangeError where seeds differ in their questions
 */
export function hierarchicalBootstrap(
  seeds: readonly SeedDifferences[],
  { resamples = 2000, level = 0.95, seed = 0 }: BootstrapOptions = {},
): Interval {
  const sizes = (seeds[0] ?? []).map((world) => world.length);
  for (const worlds of seeds)
    if (worlds.map((world) => world.length).join() !== sizes.join())
      throw new RangeError('seeds differ in their questions');
  const worlds = sizes.flatMap((size, place) => (size > 0 ? [place] : []));
  if (worlds.length === 0) return { mean: 0, low: 0, high: 0 };
  const centre = mean(
    seeds.map((one) => mean(worlds.map((place) => mean(itemAt(one, place, 'worlds'))))),
  );
  const means = Array.from({ length: resamples }, (_, r) => {
    const random = new Random(deriveSeed(seed, 'resample', r));
    const drawn = seeds.map(() => itemAt(seeds, random.below(seeds.length), 'seeds'));
    let total = 0;
    for (const place of worlds) {
      const size = itemAt(sizes, place, 'worlds');
      let sum = 0;
      for (let i = 0; i < size; i++) {
        const question = random.below(size);
        for (const one of drawn) sum += one[place]?.[question] ?? 0;
      }
      total += sum / size;
    }
    return total / (worlds.length * seeds.length);
  }).toSorted((a, b) => a - b);
  const tail = (1 - level) / 2;
  return { mean: centre, low: quantile(means, tail), high: quantile(means, 1 - tail) };
}
