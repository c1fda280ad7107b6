import type { RewardClause, Rollout } from '../../records/rollout.ts';
import type { Reward } from './parts/definition.ts';
import { readFacts } from './parts/facts.ts';
import { rewardById, REWARDS } from './list.ts';

export { totalReward } from './parts/clause.ts';

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
  const reward = rewardById(id, rewards);
  if (!reward)
    throw new Error(`reward: there is no "${id}"; src/learn/rewards/list.ts has them all`);
  return reward.clauses(readFacts(rollout), weights);
}
