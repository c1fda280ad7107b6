import type { RewardClause, Rollout } from '../../records/rollout.ts';
import type { RewardId } from '../settings/settings.ts';
import { readFacts, type RewardFacts } from './facts.ts';
import { kunlunLong, kunlunShort, LONG_WEIGHTS, SHORT_WEIGHTS } from './kunlun-baize.ts';
import { plainEm, plainF1 } from './outcome.ts';
import {
  r1SearcherStage1,
  r1SearcherStage1Released,
  r1SearcherStage2,
  r1SearcherStage2Instruct,
  r1SearcherStage2Released,
} from './r1-searcher.ts';
import { autorefine, research } from './research.ts';
import { searchR1, searchR1Format } from './search-r1.ts';
import { ur2Stage1Released, ur2Stage2Released } from './ur2-released.ts';
import { ur2Stage1, ur2Stage1Llama, ur2Stage1Small, ur2Stage1Weak, ur2Stage2 } from './ur2.ts';

/** Rewards whose values are fixed: they take no weights. */
const FIXED: Record<
  Exclude<RewardId, 'kunlun-short' | 'kunlun-long'>,
  (facts: RewardFacts) => RewardClause[]
> = {
  'ur2-stage-1': ur2Stage1,
  'ur2-stage-1-3b': ur2Stage1Small,
  'ur2-stage-1-llama': ur2Stage1Llama,
  'ur2-stage-1-weak': ur2Stage1Weak,
  'ur2-stage-1-released': ur2Stage1Released,
  'ur2-stage-2': ur2Stage2,
  'ur2-stage-2-released': ur2Stage2Released,
  'r1-searcher-stage-1': r1SearcherStage1,
  'r1-searcher-stage-1-released': r1SearcherStage1Released,
  'r1-searcher-stage-2': r1SearcherStage2,
  'r1-searcher-stage-2-released': r1SearcherStage2Released,
  'r1-searcher-stage-2-instruct': r1SearcherStage2Instruct,
  'search-r1': searchR1,
  'search-r1-format': searchR1Format,
  research,
  autorefine,
  em: plainEm,
  f1: plainF1,
};

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
  return FIXED[reward](facts);
}

/** Σ weight · value. */
export const totalReward = (clauses: readonly RewardClause[]): number =>
  clauses.reduce((sum, { value, weight }) => sum + weight * value, 0);
