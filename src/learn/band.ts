import type { Rollout } from '../records/rollout.ts';
import type { DynamicSampling } from '../recipes/parts/training.ts';
import { varies } from './advantages.ts';

/**
 * Which groups of rollouts teach enough to be trained on.
 * - DAPO (2503.14476, equation 11): those whose rewards, or exact match, vary.
 * - Online difficulty filtering (2504.03380): those whose share p of right answers lies strictly within a band;
 *   progress is in proportion to p (1 − p). The paper's thresholds were not available: 0.2 and 0.8 are ours.
 */

const rewardsOf = (group: readonly Rollout[]): number[] => group.map((r) => r.reward ?? 0);
const accuracies = (group: readonly Rollout[]): number[] => group.map((r) => r.metrics?.em ?? 0);

/** Share of right answers. */
export const passRate = (group: readonly Rollout[]): number =>
  accuracies(group).filter((em) => em === 1).length / Math.max(1, group.length);

/** p (1 − p): what a question of which a share p is answered right teaches, up to a factor (2504.03380). */
export const informationOf = (p: number): number => p * (1 - p);

/** SPEED-RL (2506.09016): the signal-to-noise ratio of the gradient of n such rollouts is at most 4 n p (1 − p). */
export const signalBound = (rollouts: number, p: number): number => 4 * rollouts * informationOf(p);

/** Whether the rewards of a group differ. */
export const rewardsVary = (group: readonly Rollout[]): boolean => varies(rewardsOf(group));

/** Whether a group is kept. */
export function keeps({ by }: Pick<DynamicSampling, 'by'>, group: readonly Rollout[]): boolean {
  if (by === 'reward') return rewardsVary(group);
  if (by === 'accuracy') return varies(accuracies(group));
  const p = passRate(group);
  return rewardsVary(group) && by.above < p && p < by.below;
}
