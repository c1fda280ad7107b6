import { joinedFloats } from '../../base/bytes.ts';
import { itemAt } from '../../base/items.ts';
import { mean, moments } from '../../base/statistics.ts';
import { adamW } from '../../policy/lora/optimizer.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { klTerm, type CriticState, type HiddenLearner } from '../../learn/objective.ts';
import { earnedAt, outcomeOf } from '../../learn/span-advantages.ts';
import type { CriticSettings } from './define.ts';

/**
 * The critic's value head: V = w · h / rms(h) + b over the hidden state h after the policy's last layer, from which the
 * next token is predicted. It learns alone: no gradient goes into the policy, where published critics are whole models.
 */

const initialCritic = (width: number): CriticState => ({
  values: new Float32Array(width + 1),
  first: new Float32Array(width + 1),
  second: new Float32Array(width + 1),
  updates: 0,
});

const EPS = 1e-6;

/** Rows of hidden states, each over its root mean square. @param hidden [rows, width] */
export function normalised(hidden: Float32Array, width: number): Float32Array {
  const out = new Float32Array(hidden.length);
  for (let from = 0; from < hidden.length; from += width) {
    let squares = 0;
    for (let i = from; i < from + width; i++) squares += (hidden[i] ?? 0) ** 2;
    const scale = 1 / Math.sqrt(squares / width + EPS);
    for (let i = from; i < from + width; i++) out[i] = (hidden[i] ?? 0) * scale;
  }
  return out;
}

/** V of each row. @param features [rows, width] @param head width + 1 values */
export function valuesOf(features: Float32Array, head: Float32Array): Float64Array {
  const width = head.length - 1;
  const out = new Float64Array(features.length / width);
  for (let row = 0; row < out.length; row++) {
    let sum = itemAt(head, width);
    for (let i = 0; i < width; i++) sum += (head[i] ?? 0) * (features[row * width + i] ?? 0);
    out[row] = sum;
  }
  return out;
}

/**
 * PPO's value loss as verl has it: ½ mean max((V − R)², (clip(V, V_old ± c) − R)²), and its gradient by the head.
 * @param returns R of each row
 * @param old V of each row before the step
 */
export function valueLoss(
  features: Float32Array,
  head: Float32Array,
  { returns, old, clip }: { returns: Float64Array; old: Float64Array; clip: number },
): { loss: number; gradient: Float64Array } {
  const width = head.length - 1;
  const values = valuesOf(features, head);
  const gradient = new Float64Array(head.length);
  let loss = 0;
  values.forEach((value, row) => {
    const [before, target] = [itemAt(old, row), itemAt(returns, row)];
    const bounded = Math.min(before + clip, Math.max(before - clip, value));
    const [free, held] = [(value - target) ** 2, (bounded - target) ** 2];
    loss += Math.max(free, held) / (2 * values.length);
    // Beyond the clip the bounded value does not move with V.
    if (held > free && bounded !== value) return;
    const slope = (value - target) / values.length;
    for (let i = 0; i < width; i++)
      gradient[i] = (gradient[i] ?? 0) + slope * (features[row * width + i] ?? 0);
    gradient[width] = (gradient[width] ?? 0) + slope;
  });
  return { loss, gradient };
}

/**
 * Advantages with a critic (PPO, 1707.06347; GAE, 1506.02438), token by token. Environment tokens take no part
 * (`skip`), or, `released`, they are in GAE, whitening and value loss like any other, as in Search-R1's code
 * (verl/trainer/ppo/core_algos.py). With γ = λ = 1 that changes nothing of the policy's advantages but their whitening.
 */

/**
 * Generalised advantage estimation (Schulman et al., 2016) over one rollout's tokens that steps over
 * tokens the policy did not write: they take no part, as if its own tokens followed each other.
 *
 * @param rewards, values one per token; the value after the last token is 0
 * @param mask 1 where the policy wrote the token
 * @returns one per token, 0 where masked
 */
export function skippingGae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  mask: ArrayLike<number>,
  gamma: number,
  lambda: number,
): Float64Array {
  const out = new Float64Array(rewards.length);
  let [nextValue, nextAdvantage] = [0, 0];
  for (let i = rewards.length - 1; i >= 0; i--) {
    if (mask[i] !== 1) continue;
    const value = itemAt(values, i, 'values');
    const delta = itemAt(rewards, i, 'rewards') + gamma * nextValue - value;
    nextAdvantage = delta + gamma * lambda * nextAdvantage;
    nextValue = value;
    out[i] = nextAdvantage;
  }
  return out;
}

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
  /** Clauses of the reward that count for single searches; none: all of it is at the end. */
  steps: readonly string[];
}

/** Rewards of each valued token: single searches' where they end, the KL where it stands, the rest at the last. */
function tokenRewards(
  { rollout, mask, oldLogprobs }: Trained,
  valued: Uint8Array,
  reference: Float32Array | null,
  { objective, steps }: Pick<CriticStep, 'objective' | 'steps'>,
): Float64Array {
  const earned = earnedAt(rollout, mask.length, steps);
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
  if (out.length > 0) out.push((out.pop() ?? 0) + outcomeOf(rollout, steps));
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
  learner: HiddenLearner,
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
      {
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-8,
        lr: learningRate,
        step: critic.updates,
        gradientScale: 1,
      },
      0,
    );
  }
  return critic;
}
