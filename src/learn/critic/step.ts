import { joinedFloats } from '../../base/bytes.ts';
import { itemAt } from '../../base/items.ts';
import { mean, moments } from '../../base/statistics.ts';
import { adamW, DEFAULT_UPDATE } from '../../policy/lora/optimizer.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { klTerm } from '../objective.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { earnedAt, outcomeOf } from '../span-advantages.ts';
import { initialCritic, normalised, valueLoss, valuesOf, type CriticState } from './head.ts';
import { skippingGae } from '../advantages.ts';

/**
 * Advantages with a critic (PPO, 1707.06347; GAE, 1506.02438), token by token. Environment tokens take no part
 * (`skip`), or, `released`, they are in GAE, whitening and value loss like any other, as in Search-R1's code
 * (verl/trainer/ppo/core_algos.py). With γ = λ = 1 that changes nothing of the policy's advantages but their whitening.
 */

type CriticSettings = NonNullable<TrainSettings['critic']>;

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

interface Estimate {
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

/** A step's advantages by the critic, and the critic's own learning from it. */

interface Trained {
  rollout: Rollout;
  ids: Int32Array;
  mask: Uint8Array;
  temperature: number;
  starts?: readonly number[];
  /** Of the trained tokens. */
  oldLogprobs: Float32Array;
}

interface CriticStep {
  sequences: readonly Trained[];
  /** Log-probabilities of the reference on the trained tokens; null where no KL is in the reward. */
  references: readonly Float32Array[] | null;
  objective: TrainSettings['objective'];
  critic: CriticSettings;
  /** Clauses of the reward that value single searches. */
  steps: readonly string[];
}

/** Rewards of each valued token: single searches' where they end, the KL where it stands, the rest at the last. */
function tokenRewards(
  { rollout, mask, oldLogprobs }: Trained,
  valued: Uint8Array,
  reference: Float32Array | null,
  { objective, steps }: Pick<CriticStep, 'objective' | 'steps'>,
): Float64Array {
  const apart = objective.credit === 'span' ? steps : [];
  const earned = earnedAt(rollout, mask.length, apart);
  const { form, coefficient } = objective.kl;
  const out: number[] = [];
  let trained = 0;
  for (let i = 1; i < mask.length; i++) {
    const own = mask[i] === 1 ? trained++ : -1;
    if (valued[i] !== 1) continue;
    const kl =
      own >= 0 && reference
        ? coefficient * klTerm(form, itemAt(oldLogprobs, own), itemAt(reference, own)).value
        : 0;
    out.push((earned[i] ?? 0) - kl);
  }
  if (out.length > 0) out.push((out.pop() ?? 0) + outcomeOf(rollout, apart));
  return Float64Array.from(out);
}

/** Of the valued tokens those that are trained. */
const trainedOf = (values: Float64Array, mask: Uint8Array, valued: Uint8Array): Float32Array => {
  let at = 0;
  const out: number[] = [];
  for (let i = 1; i < mask.length; i++) {
    if (valued[i] !== 1) continue;
    const value = itemAt(values, at++, 'valued tokens');
    if (mask[i] === 1) out.push(value);
  }
  return Float32Array.from(out);
};

/**
 * Whitened advantages of the trained tokens, and the critic after its updates. Baseline (the first value) and mean
 * advantage are written into the records. The learner must have the adapter that sampled.
 */
export async function criticStep(
  learner: PolicyLearner,
  before: CriticState | undefined,
  step: CriticStep,
): Promise<{ advantages: Float32Array[]; critic: CriticState }> {
  const { sequences, references, critic: settings } = step;
  const masks = sequences.map(({ mask }) => valuedMask(mask, settings.environment));
  const hidden = await learner.hidden(
    sequences.map(({ ids, temperature, starts }, s) => ({
      ids,
      temperature,
      mask: itemAt(masks, s),
      starts,
    })),
  );
  const width = hidden.find((one) => one.width > 0)?.width ?? 1;
  const state = before ?? initialCritic(width);
  const features = hidden.map(({ values }) => normalised(values, width));
  const values = features.map((rows) => valuesOf(rows, state.values));
  const estimates = sequences.map((sequence, s) =>
    gae(
      tokenRewards(sequence, itemAt(masks, s), references?.[s] ?? null, step),
      itemAt(values, s),
      settings,
    ),
  );
  const white = whitenTokens(estimates.map(({ advantages }) => advantages));
  const advantages = sequences.map(({ rollout, mask }, s) => {
    const own = trainedOf(itemAt(white, s), mask, itemAt(masks, s));
    rollout.baseline = itemAt(values, s)[0] ?? null;
    rollout.advantage = own.length === 0 ? 0 : mean(Array.from(own));
    return own;
  });
  const targets = { returns: joined(estimates.map(({ returns }) => returns)), old: joined(values) };
  return { advantages, critic: fitted(state, joinedFloats(features), targets, settings) };
}

const joined = (parts: readonly Float64Array[]): Float64Array =>
  Float64Array.from(parts.flatMap((part) => [...part]));

/** The head after the step's updates, each on all its tokens. */
function fitted(
  before: CriticState,
  features: Float32Array,
  targets: { returns: Float64Array; old: Float64Array },
  { learningRate, updates, valueClip }: CriticSettings,
): CriticState {
  const critic: CriticState = {
    values: before.values.slice(),
    first: before.first.slice(),
    second: before.second.slice(),
    updates: before.updates,
  };
  for (let u = 0; u < updates && targets.returns.length > 0; u++) {
    const { gradient } = valueLoss(features, critic.values, { ...targets, clip: valueClip });
    critic.updates += 1;
    adamW(
      { ...critic, gradient: Float32Array.from(gradient) },
      { ...DEFAULT_UPDATE, lr: learningRate, step: critic.updates, gradientScale: 1 },
      0,
    );
  }
  return critic;
}
