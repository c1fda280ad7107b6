import type { PairedDifference } from './paired-difference.ts';

/** The sentence on top of a page: what came out, and what to do next. */
export interface Verdict {
  /** `clear`: the difference is distinguishable from zero. `warning`: something went wrong. */
  kind: 'clear' | 'open' | 'warning';
  /** One sentence, without its full stop. */
  sentence: string;
  /** What to do next, one sentence with its full stop; empty where nothing is left to do. */
  next: string;
}

const MINUS = '−';

const rounded = (value: number, digits: number): string => {
  const text = Math.abs(value).toFixed(digits);
  return digits > 0 && text.endsWith('0') ? text.replace(/\.?0+$/u, '') : text;
};

/** 0.6 → "60 points", 0.01 → "1 point", 0.053 → "5.3 points"; without its sign. */
export function pointsText(share: number): string {
  const text = rounded(100 * share, 1);
  return `${text} ${text === '1' ? 'point' : 'points'}`;
}

/** 0.753 → "75 %"; one digit below 10 %. */
export const shareText = (share: number): string =>
  `${rounded(100 * share, Math.abs(share) < 0.1 ? 1 : 0)} %`;

/** "p < 0.001", "p = 0.03". */
export const pText = (p: number): string =>
  p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.01 ? 3 : 2)}`;

const signedPoints = (share: number): string => {
  const text = rounded(100 * share, 1);
  return share < 0 && text !== '0' ? `${MINUS}${text}` : text;
};

/** "95 % interval −3 to 12 points"; empty where there is none. */
export const intervalText = ({ low, high }: PairedDifference): string =>
  low === null ? '' : `95 % interval ${signedPoints(low)} to ${signedPoints(high)} points`;

/** 3 → "3 questions". */
export const countText = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : `${one}s`}`;

/** A sign-flip test of n pairs cannot give less than this. */
const smallestP = (questions: number): number => 2 ** (1 - questions);

const LEVEL = 0.05;

/**
 * Questions below which no paired difference can be significant at 5 %: a sign-flip test of n pairs has no p below
 * 2 / 2ⁿ, and Holm's correction multiplies the smallest by the number of comparisons.
 */
export function fewestQuestions(comparisons: number): number {
  let questions = 1;
  while (smallestP(questions) * Math.max(1, comparisons) > LEVEL) questions += 1;
  return questions;
}

/** (z of a two-sided 5 % test + z of 80 % power)² over the first squared: what an interval's width is multiplied with. */
const POWER = ((1.96 + 0.84) / 1.96) ** 2;

/** More than this many questions are not proposed. */
const MOST_QUESTIONS = 10_000;

/**
 * Questions with which a difference of this size is found with 80 % power: the interval narrows with the root of their
 * number.
 *
 * @param n questions that the difference is over
 * @returns null where the difference is 0 or has no interval, or where it takes more than 10,000
 */
export function questionsNeeded({ mean, low, high }: PairedDifference, n: number): number | null {
  if (low === null || mean === 0) return null;
  const half = (high - low) / 2;
  const exact = n * POWER * (half / mean) ** 2;
  const step = 10 ** Math.max(1, Math.floor(Math.log10(exact)) - 1);
  const needed = Math.ceil(exact / step) * step;
  return needed > MOST_QUESTIONS || needed <= n ? null : needed;
}
