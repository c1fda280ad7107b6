import type { RewardClause, Rollout } from '../../data/rollout.ts';
import type { RewardId } from '../rl/settings.ts';
import { readFacts } from './facts.ts';
import { kunlunLong, kunlunShort, LONG_WEIGHTS, SHORT_WEIGHTS } from './kunlun-baize.ts';
import {
  plainEm,
  plainF1,
  r1SearcherStage1,
  r1SearcherStage2,
  research,
  searchR1,
} from './outcome.ts';
import { ur2Stage1, ur2Stage2 } from './ur2.ts';

export { readFacts } from './facts.ts';

/** λ by clause: the defaults with what is given in their place. @throws Error unless they sum to 1. */
function lambdas<W extends Record<string, number>>(defaults: W, given: Record<string, number>): W {
  const unknown = Object.keys(given).find((name) => !(name in defaults));
  if (unknown !== undefined)
    throw new Error(
      `reward: there is no clause "${unknown}" to weigh; it has ${Object.keys(defaults).join(', ')}`,
    );
  const weights = { ...defaults, ...given };
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > 1e-6)
    throw new Error(`reward: its weights must sum to 1, they sum to ${sum.toFixed(4)}`);
  return weights;
}

function refuseWeights(reward: RewardId, given: Record<string, number>): void {
  if (Object.keys(given).length > 0)
    throw new Error(`reward: ${reward} has fixed values; it takes no weights`);
}

/**
 * The clauses of a rollout's reward, with the spans that earned or lost them: offsets into the text of
 * segments that the policy wrote. Reads the record alone and changes nothing in it.
 * @param weights λ of the clauses of `kunlun-short` and `kunlun-long`; they must sum to 1
 * @throws Error for weights that the reward does not have
 */
export function scoreRollout(
  rollout: Rollout,
  reward: RewardId,
  weights: Record<string, number> = {},
): RewardClause[] {
  const facts = readFacts(rollout);
  if (reward === 'kunlun-short') return kunlunShort(facts, lambdas(SHORT_WEIGHTS, weights));
  if (reward === 'kunlun-long') return kunlunLong(facts, lambdas(LONG_WEIGHTS, weights));
  refuseWeights(reward, weights);
  switch (reward) {
    case 'ur2-stage-1':
      return ur2Stage1(facts);
    case 'ur2-stage-2':
      return ur2Stage2(facts);
    case 'r1-searcher-stage-1':
      return r1SearcherStage1(facts);
    case 'r1-searcher-stage-2':
      return r1SearcherStage2(facts);
    case 'search-r1':
      return searchR1(facts);
    case 'research':
      return research(facts);
    case 'em':
      return plainEm(facts);
    case 'f1':
      return plainF1(facts);
  }
}

/** Σ weight · value. */
export const totalReward = (clauses: readonly RewardClause[]): number =>
  clauses.reduce((sum, { value, weight }) => sum + weight * value, 0);
