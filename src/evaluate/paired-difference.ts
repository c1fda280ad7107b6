import { itemAt } from '../base/items.ts';
import { shareInterval, mean } from '../base/statistics.ts';
import { bootstrapMean, type BootstrapOptions, type Interval } from './bootstrap.ts';
import { changeInterval } from './held-out-scores.ts';
import {
  hierarchicalBootstrap,
  sizesOf,
  type ResampleDraws,
  type SeedDifferences,
} from './hierarchical.ts';

/** Differences over the same questions, with intervals where there are enough. */

/** A mean difference that has no interval. */
interface WithoutInterval {
  mean: number;
  low: null;
  high: null;
}

export type PairedDifference = Interval | WithoutInterval;

/** Why a difference has none, as tables, files and the page say it. */
export const NO_INTERVAL = 'no interval: one question, or all differences are equal';

/** The ends as a format writes them in brackets; `none` where there are none. */
export const endsText = (
  { low, high }: PairedDifference,
  end: (value: number) => string,
  none: string,
): string => (low === null ? `[${none}]` : `[${end(low)}, ${end(high)}]`);

/** Twice as much, of what was halved to be resampled. */
export const twice = (half: PairedDifference): PairedDifference =>
  half.low === null
    ? { ...half, mean: 2 * half.mean }
    : { mean: 2 * half.mean, low: 2 * half.low, high: 2 * half.high };

export interface PairedOptions extends BootstrapOptions {
  /** Whether each rollout is either right or wrong (EM, a judge, format), so that an answer counts 0 or 1. */
  binary?: boolean;
  /** What is taken off where it is this value and no other answer: a share then has Wilson's interval. */
  than?: number | undefined;
}

/**
 * What is in the place of a bootstrap of differences that are all equal, which only finds the same again.
 * @param worlds the one difference of each world, and its questions
 */
function withoutVariation(
  worlds: readonly { value: number; questions: number }[],
  { binary = false, than, level }: PairedOptions,
): PairedDifference {
  const centre = mean(worlds.map(({ value }) => value));
  const questions = worlds.reduce((sum, world) => sum + world.questions, 0);
  if (!binary || questions < 2) return { mean: centre, low: null, high: null };
  // Kish's effective number of questions: a world of few counts as much as one of many. That of all where these are alike.
  const n = worlds.length ** 2 / worlds.reduce((sum, world) => sum + 1 / world.questions, 0);
  if (than !== undefined) {
    const [low, high] = shareInterval(centre + than, n, level);
    return { mean: centre, low: low - than, high: high - than };
  }
  const share = (sign: 1 | -1): number =>
    mean(worlds.map(({ value }) => Math.max(0, sign * value)));
  const [low, high] = changeInterval(n * share(1), n * share(-1), n, level);
  return { mean: centre, low, high };
}

/** Means over seeds that are equal differ by rounding: 2/3 − 1/3 and 1 − 2/3. */
const SLACK = 1e-9;

const same = (one: number, other: number): boolean =>
  Math.abs(one - other) <= SLACK * Math.max(1, Math.abs(one));

/** The only value of each world that has some; null where one has several. */
function onlyValues(
  seeds: readonly SeedDifferences[],
): { value: number; questions: number }[] | null {
  const worlds = sizesOf(seeds).flatMap((questions, place) =>
    questions === 0
      ? []
      : [{ questions, all: seeds.flatMap((one) => itemAt(one, place, 'worlds')) }],
  );
  const only = worlds.flatMap(({ questions, all: [value, ...others] }) =>
    value !== undefined && others.every((other) => same(value, other))
      ? [{ value, questions }]
      : [],
  );
  return only.length === worlds.length ? only : null;
}

/**
 * The mean difference over seeds, worlds and questions, each world counting alike, with its interval:
 * - bootstrapped (`hierarchicalBootstrap`) where the differences of some world vary, over its questions or over seeds;
 * - Bonett and Price's for paired proportions where none do and an answer is right or wrong. A mean over seeds may be a
 *   fraction: it counts as that part of a question gained or lost. As |d| ≤ 1, the variance of the d is at most
 *   E|d| − (E d)², which is what the formula takes for it: the interval is too wide rather than too narrow;
 * - none for any other number whose differences are all equal, and of a single question.
 *
 * @param seeds [seeds][worlds][questions]
 * @param drawn draws of this shape, where they are available
 * @returns null without a question
 * @throws RangeError where seeds differ in their questions
 */
export function pairedDifference(
  seeds: readonly SeedDifferences[],
  options: PairedOptions = {},
  drawn?: ResampleDraws,
): PairedDifference | null {
  const only = onlyValues(seeds);
  if (only === null) return hierarchicalBootstrap(seeds, options, drawn);
  return only.length === 0 ? null : withoutVariation(only, options);
}

/**
 * The same of `b − a` over one list of questions, however long.
 * @throws RangeError where the lists differ in length
 */
export function differenceOf(
  a: readonly number[],
  b: readonly number[],
  options: PairedOptions = {},
): PairedDifference | null {
  if (a.length !== b.length)
    throw new RangeError(`paired values: ${a.length} and ${b.length} questions`);
  const values = b.map((value, i) => value - itemAt(a, i, 'paired values'));
  const only = onlyValues([[values]]);
  if (only === null) return bootstrapMean(values, options);
  return only.length === 0 ? null : withoutVariation(only, options);
}
