import type { RewardClause, Rollout } from '../../records/rollout.ts';
import type { Reward } from './parts/definition.ts';
import { readFacts, type RewardFacts } from './parts/facts.ts';
import { rewardById, REWARDS } from './list.ts';

/**
 * The clauses of a rollout's reward, with the spans that earned or lost them: offsets into the text of
 * segments that the policy wrote. Reads only the record and changes nothing in it.
 * @param weights λ by clause, where the reward has some; with its defaults they must sum to 1
 * @throws Error for weights that the reward does not have, and for a reward that is not in the list
 */
export function scoreRollout(
  rollout: Rollout,
  id: string,
  weights: Record<string, number> = {},
  rewards: readonly Reward[] = REWARDS,
): RewardClause[] {
  return scoreFacts(readFacts(rollout), id, weights, rewards);
}

/** The same of facts that were read already. @throws Error as `scoreRollout` */
export function scoreFacts(
  facts: RewardFacts,
  id: string,
  weights: Record<string, number> = {},
  rewards: readonly Reward[] = REWARDS,
): RewardClause[] {
  const reward = rewardById(id, rewards);
  if (!reward)
    throw new Error(`reward: there is no "${id}"; src/learn/rewards/list.ts has them all`);
  return reward.clauses(facts, weights);
}

/** Σ weight · value. */
export const totalReward = (clauses: readonly RewardClause[]): number =>
  clauses.reduce((sum, { value, weight }) => sum + weight * value, 0);
