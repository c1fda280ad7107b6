import { estimateAdvantages, whiten } from '../../../learn/advantages.ts';
import type { EstimatorId } from '../../../recipes/parts/training.ts';

/** Advantages under a choice of normalisation. */

/**
 * - `estimator`: as the estimator is published;
 * - `none`: the reward less its baseline;
 * - `group`: divided by the group's deviation;
 * - `batch`: whitened over the tokens of all rollouts available;
 * - `group-and-batch`: both.
 */
export type Normalisation = 'estimator' | 'none' | 'group' | 'batch' | 'group-and-batch';

/** What divides where: the estimator's own normalisation, in these terms. */
const OWN: Record<EstimatorId, Exclude<Normalisation, 'estimator'>> = {
  grpo: 'group',
  'dr-grpo': 'none',
  rloo: 'none',
  'reinforce++-baseline': 'batch',
  'whitened-grpo': 'group-and-batch',
  'trl-grpo': 'group',
};

const normalisationOf = (
  estimator: EstimatorId,
  choice: Normalisation,
): Exclude<Normalisation, 'estimator'> => (choice === 'estimator' ? OWN[estimator] : choice);

/** Whether advantages depend on how many tokens each rollout trains. */
export const needsLengths = (estimator: EstimatorId, choice: Normalisation): boolean =>
  normalisationOf(estimator, choice).endsWith('batch');

/**
 * One advantage per rollout. RLOO keeps its baseline, the others', under every normalisation but division
 * by the group's deviation, which is GRPO's.
 * @param lengths trained tokens of each rollout; looked at where `needsLengths`
 * @throws Error as `estimateAdvantages`
 */
export function advantagesUnder(
  estimator: EstimatorId,
  choice: Normalisation,
  rewards: readonly number[],
  groups: readonly number[],
  lengths: readonly number[],
): Float64Array {
  const normalisation = normalisationOf(estimator, choice);
  const divides = normalisation.startsWith('group');
  const divided = estimator === 'trl-grpo' ? estimator : 'grpo';
  const base = divides ? divided : estimator === 'rloo' ? 'rloo' : 'dr-grpo';
  const advantages = estimateAdvantages(base, rewards, groups, lengths);
  return normalisation.endsWith('batch') ? whiten(advantages, lengths) : advantages;
}
