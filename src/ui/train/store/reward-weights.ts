import { rewardById } from '../../../learn/rewards/registry.ts';

/** The factors λ that a reward has unless a stage sets others; null where its values are fixed. */
export const weightsOf = (reward: string): Readonly<Record<string, number>> | null =>
  rewardById(reward)?.weights ?? null;

/** What is wrong with a stage's factors, as text; null where nothing is. */
export const weightsProblem = (
  reward: string,
  weights: Readonly<Record<string, number>>,
): string | null => {
  const own = weightsOf(reward);
  if (!own || Object.keys(weights).length === 0) return null;
  const sum = Object.values({ ...own, ...weights }).reduce((total, weight) => total + weight, 0);
  return Math.abs(sum - 1) > 1e-6
    ? `The weights must sum to 1; they sum to ${Number(sum.toPrecision(4))}.`
    : null;
};
