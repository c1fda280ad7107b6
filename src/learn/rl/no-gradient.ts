import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { loraSlots, type LoraSpec } from '../../policy/lora/spec.ts';
import type { SkippedUpdate } from '../../records/training.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { rewardsVary } from '../sampling/band.ts';

/**
 * Steps whose policy gradient is 0 whatever the model computes, so that the update can be skipped
 * before anything is scored.
 */

/** Whether the adapter changes nothing: every B is 0, as LoRA starts, and there are no gates. */
export function policyIsReference(
  config: PolicyConfig,
  spec: LoraSpec,
  adapter: Float32Array,
): boolean {
  if (spec.gates) return false;
  return loraSlots(config, spec).every(
    ({ factor, offset, length }) =>
      factor === 'A' || adapter.subarray(offset, offset + length).every((value) => value === 0),
  );
}

type Objective = TrainSettings['objective'];

/**
 * Whether a KL term may move the policy: with k2 and k3 its slope is 0 where the policy is the
 * reference; the slope of k1 is 1 everywhere. In the reward the KL of such a policy is 0.
 */
export const klPulls = ({ kl }: Objective, isReference: boolean): boolean =>
  kl.place !== 'off' &&
  kl.coefficient > 0 &&
  !(isReference && (kl.place === 'reward' || kl.form !== 'k1'));

/** Whether terms on right rollouts, which need no advantage, have one to work on. */
const rightTermsPull = (
  { positiveNll = 0, diversity = 0 }: Objective,
  rollouts: readonly Rollout[],
): boolean =>
  (positiveNll > 0 || diversity > 0) && rollouts.some(({ metrics }) => metrics?.em === 1);

/**
 * Whether the gradient of a step is 0 by construction: all advantages are 0, and no other term of
 * the objective has a gradient. A critic learns in any case.
 * @param advantages one per rollout or per trained token, those of the loss
 */
export const hasNoGradient = (
  { objective, critic }: Pick<TrainSettings, 'objective' | 'critic'>,
  rollouts: readonly Rollout[],
  advantages: readonly (number | Float32Array)[],
  isReference: boolean,
): boolean =>
  !critic &&
  advantages.every((own) => (typeof own === 'number' ? own === 0 : own.every((v) => v === 0))) &&
  !klPulls(objective, isReference) &&
  !rightTermsPull(objective, rollouts);

/** Why a step made no update, by the rewards of all its rollouts. */
export function skippedFor(
  groups: readonly (readonly Rollout[])[],
  otherwise: Exclude<SkippedUpdate['why'], 'equal-rewards'>,
): SkippedUpdate {
  if (groups.some(rewardsVary)) return { why: otherwise };
  const rewards = new Set(groups.flat().map(({ reward }) => reward));
  const [only] = rewards;
  return {
    why: 'equal-rewards',
    ...(rewards.size === 1 && typeof only === 'number' && { reward: only }),
  };
}
