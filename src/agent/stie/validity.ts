import type { DifferenceCheck } from '../../records/events.ts';
import { aggregatedDifference, difference, overlap, type TokenForm } from './overlap.ts';

/** Equation (9) of arXiv 2506.19466: is a text new enough beside the last three? */

/** A text as STIE compares it: how it is shown, and its words. */
export interface Compared {
  text: string;
  tokens: readonly string[];
}

export interface Validity {
  checks: DifferenceCheck[];
  /** Equation (8); null without history. */
  aggDiff: number | null;
  /** Equation (9): every check passed. */
  valid: boolean;
}

const LAGS = [1, 2, 3] as const;

/**
 * Compares with the texts 1, 2 and 3 rounds back; lags beyond the history are left out.
 * @param history oldest first
 * @param thresholds δ1, δ2, δ3
 */
export function checkValidity(
  current: Compared,
  history: readonly Compared[],
  thresholds: readonly [number, number, number],
  form: TokenForm,
): Validity {
  const checks: DifferenceCheck[] = [];
  for (const lag of LAGS) {
    const earlier = history.at(-lag);
    const threshold = thresholds[lag - 1];
    if (!earlier || threshold === undefined) continue;
    const diff = difference(current.tokens, earlier.tokens, form);
    checks.push({
      lag,
      against: earlier.text,
      overlap: overlap(current.tokens, earlier.tokens, form),
      diff,
      threshold,
      passed: diff >= threshold,
    });
  }
  return {
    checks,
    aggDiff: aggregatedDifference(checks.map((check) => check.diff)),
    valid: checks.every((check) => check.passed),
  };
}

const LAG_WORDS = { 1: 'the last', 2: 'the second last', 3: 'the third last' } as const;

/** The first failed check as text, or why nothing failed. */
export function describeValidity(validity: Validity, what: string): string {
  const failed = validity.checks.find((check) => !check.passed);
  if (failed) {
    return `differs ${failed.diff.toFixed(2)} from ${LAG_WORDS[failed.lag]} ${what}, needs ${failed.threshold}`;
  }
  if (validity.checks.length === 0)
    return what === 'answer' ? 'first guess if it had to stop now' : `first ${what}`;
  return `differs enough from the last ${validity.checks.length}`;
}
