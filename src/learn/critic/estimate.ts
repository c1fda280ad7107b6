import { itemAt } from '../../base/items.ts';
import { moments } from '../../base/statistics.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { skippingGae } from '../advantages.ts';

/**
 * Advantages with a critic (PPO, 1707.06347; GAE, 1506.02438), token by token. Environment tokens take no part
 * (`skip`), or, `released`, they are in GAE, whitening and value loss like any other, as in Search-R1's code
 * (verl/trainer/ppo/core_algos.py). With γ = λ = 1 that changes nothing of the policy's advantages but their whitening.
 */

export type CriticSettings = NonNullable<TrainSettings['critic']>;

/** The tokens of a context that the critic values: the first of a context is never among them. */
export function valuedMask(
  mask: Uint8Array,
  environment: CriticSettings['environment'],
): Uint8Array {
  const first = mask.findIndex((m, i) => m === 1 && i > 0);
  return mask.map((m, i) =>
    first < 0 || i < first ? 0 : environment === 'skip' ? Number(m === 1) : 1,
  );
}

export interface Estimate {
  /** One a valued token. */
  advantages: Float64Array;
  returns: Float64Array;
}

/** GAE over the valued tokens of one rollout. @param rewards, values one a valued token */
export function gae(
  rewards: Float64Array,
  values: Float64Array,
  { gamma, lambda }: Pick<CriticSettings, 'gamma' | 'lambda'>,
): Estimate {
  const all = new Uint8Array(values.length).fill(1);
  const advantages = skippingGae(rewards, values, all, gamma, lambda);
  return { advantages, returns: advantages.map((a, i) => a + itemAt(values, i)) };
}

/** Mean 0 and unbiased deviation 1 over all tokens of all rollouts, as verl's masked whitening. */
export function whitenTokens(rollouts: readonly Float64Array[]): Float64Array[] {
  const all = rollouts.flatMap((values) => [...values]);
  if (all.length < 2) return rollouts.map((values) => values.slice());
  const { mean, variance } = moments(all, 1);
  const scale = 1 / Math.sqrt(variance + 1e-8);
  return rollouts.map((values) => values.map((value) => (value - mean) * scale));
}
