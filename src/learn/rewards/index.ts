import type { RewardClause, Rollout } from '../../records/rollout.ts';
import { readFacts } from './parts/facts.ts';
import { getReward } from './registry.ts';

export { totalReward } from './parts/clause.ts';

/**
 * The clauses of a rollout's reward, with the spans that earned or lost them: offsets into the text of
 * segments that the policy wrote. Reads only the record and changes nothing in it.
 * @param weights λ by clause, where the reward has some; with its defaults they must sum to 1
 * @throws Error for weights that the reward does not have, and for an unknown reward
 */
export const scoreRollout = (
  rollout: Rollout,
  id: string,
  weights: Record<string, number> = {},
): RewardClause[] => getReward(id).clauses(readFacts(rollout), weights);
