import { mean } from '../../../base/statistics.ts';

/** What accuracies of a question over epochs tell of it. */

/**
 * One-Shot RLVR (arXiv 2504.20571) ranks questions by the variance of their accuracy over the epochs of an earlier run,
 * its code by the deviation (biased): the same order.
 */
export function spread(accuracies: readonly number[]): number {
  if (accuracies.length === 0) return 0;
  const middle = mean(accuracies);
  return Math.sqrt(mean(accuracies.map((one) => (one - middle) ** 2)));
}

/** Slope of the line of least squares through the accuracies, by epoch. */
function slope(accuracies: readonly number[]): number {
  const middle = (accuracies.length - 1) / 2;
  return accuracies.reduce((sum, one, epoch) => sum + (epoch - middle) * one, 0);
}

/** Best accuracy that a weakness may have had; the paper's threshold was not available. */
const MASTERED = 0.5;

/** SwS (arXiv 2506.08989): a question that was never mastered and does not improve. */
export const isWeakness = (accuracies: readonly number[]): boolean =>
  accuracies.length > 0 && Math.max(...accuracies) <= MASTERED && slope(accuracies) <= 0;

/** SwS: how many questions of each category to make, in proportion to its share of weaknesses, rounded down. */
export function weaknessBudget(failRatios: readonly number[], budget: number): number[] {
  const sum = failRatios.reduce((total, ratio) => total + ratio, 0);
  return failRatios.map((ratio) => (sum === 0 ? 0 : Math.floor((budget * ratio) / sum)));
}
