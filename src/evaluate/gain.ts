import { differenceOf, type PairedDifference, type PairedOptions } from './paired-difference.ts';
import { itemAt } from '../base/items.ts';
import { mean, moments } from '../base/statistics.ts';

/** What training changed on a set of questions, by seed and over seeds. Scores are 0 to 1. */
export interface Gain {
  /** Questions, each scored before and after. */
  n: number;
  before: number;
  seeds: { after: number; gain: PairedDifference }[];
  /** Of the mean over seeds: questions are resampled, the seeds are kept. */
  overQuestions: PairedDifference;
  /** Standard error of the gain over seeds, the questions kept; null for one seed. */
  overSeeds: number | null;
}

/** Standard error of the mean; null where there is one value. */
export function standardError(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  return Math.sqrt(moments(values, 1).variance / values.length);
}

const gainOver = (...given: Parameters<typeof differenceOf>): PairedDifference =>
  differenceOf(...given) ?? { mean: 0, low: null, high: null };

/**
 * The gain of training over the same questions.
 * @param before score of each question, [questions]
 * @param after scores of each seed's run over these questions, [seeds][questions]
 * @throws RangeError where the lists differ in length, or without a seed
 */
export function gainOf(
  before: readonly number[],
  after: readonly (readonly number[])[],
  options: PairedOptions = {},
): Gain {
  if (after.length === 0) throw new RangeError('a gain needs at least one trained run');
  const seeds = after.map((scores) => ({
    after: mean(scores),
    gain: gainOver(before, scores, options),
  }));
  const meanOverSeeds = before.map((_, i) =>
    mean(after.map((scores) => itemAt(scores, i, 'scores'))),
  );
  return {
    n: before.length,
    before: mean(before),
    seeds,
    overQuestions: gainOver(before, meanOverSeeds, options),
    overSeeds: standardError(seeds.map(({ gain }) => gain.mean)),
  };
}
