import { mean, moments, sum } from '../base/statistics.ts';
import { groupBy, itemAt } from '../base/items.ts';
import type { EstimatorId } from '../recipes/parts/training.ts';

/** Advantages of whole rollouts, docs/methods.md section 3. One value a rollout; nothing is changed in place. */

/** Added to every deviation that divides, as verl's GRPO has it, and as TRL's has it. */
const VERL = 1e-6;
const TRL = 1e-4;

/** Places of the rollouts of each group, in the order in which groups first appear. */
export function membersOf(groups: ArrayLike<number>): number[][] {
  const places = Array.from(groups, (group, place) => ({ group, place }));
  return [...groupBy(places, ({ group }) => group).values()].map((members) =>
    members.map(({ place }) => place),
  );
}

function byGroup(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  advantage: (reward: number, group: readonly number[]) => number,
): Float64Array {
  const out = new Float64Array(rewards.length);
  for (const members of membersOf(groups)) {
    const own = members.map((i) => itemAt(rewards, i, 'rewards'));
    // Exactly 0, so that whitening cannot blow up what rounding left of equal rewards.
    if (!varies(own)) continue;
    for (const i of members) out[i] = advantage(itemAt(rewards, i, 'rewards'), own);
  }
  return out;
}

const centred = (reward: number, group: readonly number[]): number => reward - mean(group);

const normalised =
  (epsilon: number) =>
  (reward: number, group: readonly number[]): number => {
    const { mean, variance } = moments(group, 1);
    return (reward - mean) / (Math.sqrt(variance) + epsilon);
  };

/** RLOO (Ahmadian et al., 2024): the reward less the mean of the others of its group. */
const leaveOneOut = (reward: number, group: readonly number[]): number =>
  reward - (sum(group) - reward) / (group.length - 1);

/**
 * Masked whitening: every trained token carries its rollout's value, so a rollout counts as often
 * as it has trained tokens. Mean 0, biased deviation 1 over tokens; the same shift for all tokens.
 */
export function whiten(values: Float64Array, lengths: ArrayLike<number>): Float64Array {
  const counts = Array.from(values, (_, i) => itemAt(lengths, i, 'lengths'));
  const tokens = sum(counts);
  if (tokens === 0) return values.slice();
  /** Over tokens. */
  const total = (of: (value: number) => number): number =>
    counts.reduce((so, count, i) => so + count * of(itemAt(values, i)), 0);
  const mean = total((value) => value) / tokens;
  const squares = total((value) => (value - mean) ** 2);
  const scale = 1 / Math.sqrt(squares / tokens + 1e-8);
  return values.map((value) => (value - mean) * scale);
}

/**
 * One advantage per rollout.
 * - `grpo` (DeepSeekMath, equation 3 of 2402.03300): `(r − mean) / (std + 1e-6)`, unbiased std.
 * - `trl-grpo`: the same with 1e-4.
 * - `dr-grpo` (2503.20783): no division.
 * - `rloo`: `r − mean of the others`.
 * - `reinforce++-baseline` (2501.03262): `r − mean`, then masked whitening over the batch.
 * - `whitened-grpo` (UR², 2508.06165): Norm_batch(Norm_group).
 *
 * A group of one, or of equal rewards, has advantage 0 (before the whitening, where there is one).
 *
 * @param rewards one per rollout
 * @param groups the group number of each rollout
 * @param lengths trained tokens of each rollout, for the whitening
 * @throws Error where the three differ in length, or a reward is no finite number
 */
export function estimateAdvantages(
  estimator: EstimatorId,
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  lengths: ArrayLike<number>,
): Float64Array {
  if (groups.length !== rewards.length || lengths.length !== rewards.length)
    throw new Error('advantages: rewards, groups and lengths must have one value per rollout');
  for (let i = 0; i < rewards.length; i++)
    if (!Number.isFinite(rewards[i]))
      throw new Error(`advantages: the reward of rollout ${i} is not a finite number`);
  switch (estimator) {
    case 'grpo':
      return byGroup(rewards, groups, normalised(VERL));
    case 'trl-grpo':
      return byGroup(rewards, groups, normalised(TRL));
    case 'dr-grpo':
      return byGroup(rewards, groups, centred);
    case 'rloo':
      return byGroup(rewards, groups, leaveOneOut);
    case 'reinforce++-baseline':
      return whiten(byGroup(rewards, groups, centred), lengths);
    case 'whitened-grpo':
      return whiten(byGroup(rewards, groups, normalised(VERL)), lengths);
  }
}

/** Whether the rewards of a group differ: one whose rewards are all equal teaches nothing. */
export const varies = (rewards: readonly number[]): boolean =>
  rewards.some((reward) => reward !== rewards[0]);
