import type { z } from 'zod';
import { itemAt, present } from '../base/items.ts';
import type { HiddenStates } from '../policy/lora/trainer.ts';
import type { PolicyTokenizer } from '../policy/policy.ts';
import type { SystemSettings } from '../recipes/parts/system.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';
import type { Sequence } from './mask.ts';
import type { Reward } from './rewards/parts/definition.ts';

/** The clipped surrogate and its exact gradient, docs/methods.md section 4, and the rules with which systems change them. */

type Settings = TrainSettings['objective'];
export type Objective = Omit<Settings, 'rules'> & Partial<Pick<Settings, 'rules'>>;

/** The log ratio to the sampler is clamped to ± this, and in k3 that to the reference: verl's. */
export const LOG_RATIO_CLAMP = 20;

/** The trained tokens of one sequence. */
export interface SequenceTokens {
  /** Natural-log probabilities now and when sampled, one per token. */
  logprob: Float32Array;
  oldLogprob: Float32Array;
  /** Of the reference policy; null where no KL term is in the loss. */
  refLogprob: Float32Array | null;
  /** Of the sequence, shared by its tokens, or one per token. */
  advantage: number | Float32Array;
  /** Weight of each token in the loss of the batch (`sequenceWeights`). */
  weight: number;
  /** Whether the rollout answered rightly: some terms are of right ones alone. */
  right?: boolean;
}

export interface ObjectiveResult {
  /** Σ weight · (surrogate + coefficient · KL) over the tokens. */
  loss: number;
  /** `−∂loss/∂logprob` of each token. */
  coefficients: Float32Array;
  /** Tokens whose ratio the clip (or the dual clip) stopped. */
  clipped: number;
  /** Σ of the KL estimate over the tokens, nats; 0 without a reference. */
  kl: number;
}

export interface Term {
  value: number;
  /** With respect to log π. */
  slope: number;
}

/**
 * KL estimators of Schulman (2020) for one token sampled from π, with `d = log π_ref − log π`:
 * k1 = −d, k2 = d²/2, k3 = e^d − d − 1. Slopes are of the formulas themselves.
 * @param limit d of k3 is clamped to ± this before its exponential, as verl does with 20; the slope is
 *   0 outside, so that one token the reference finds likely and the policy does not cannot overflow.
 *   verl's second clamp, of the value to 10, is left out: it would end the pull at d = 2.6.
 */
export function klTerm(
  form: Objective['kl']['form'],
  logprob: number,
  reference: number,
  limit = Infinity,
): Term {
  const d = reference - logprob;
  switch (form) {
    case 'k1':
      return { value: -d, slope: 1 };
    case 'k2':
      return { value: (d * d) / 2, slope: -d };
    case 'k3': {
      const clamped = Math.min(limit, Math.max(-limit, d));
      const value = Math.exp(clamped) - clamped - 1;
      return { value, slope: clamped === d ? 1 - Math.exp(d) : 0 };
    }
  }
}

/** Ratio bounds 1 − low … 1 + high, and the dual clip's. */
interface Bounds {
  low: number;
  high: number;
  ceiling: number;
}

type Clipped = Term & { clipped: boolean };
/** One value a rollout, or one a trained token. */
type Advantages = (number | Float32Array)[];

/** Rollouts of a step before anything of them is trained. */
export interface RuledStep {
  sequences: readonly Sequence[];
  /** It scores trained tokens by the adapter that sampled. */
  learner: {
    score(
      items: readonly Sequence[],
      reference: false,
    ): Promise<{ logprobs: Float32Array; entropies: Float32Array }[]>;
  };
  tokenizer: PolicyTokenizer;
}

/** What a system changes of the loss; nothing where it says nothing. */
export interface ObjectiveRule {
  /** What is trained, where that is not what the policy wrote. */
  sequences?: (step: RuledStep) => Promise<readonly Sequence[]>;
  /** What tokens count for, in place of what the estimator or the critic gives. */
  advantages?: (advantages: Advantages, sequences: readonly Sequence[]) => Advantages;
  /** A token's loss in place of the clipped surrogate. */
  surrogate?: (bounds: Bounds, ratio: number, advantage: number) => Clipped;
  /** Added to the loss of every token of a right rollout. */
  ofRight?: (logprob: number, oldLogprob: number) => Term;
}

/** A rule as a system defines it. */
export interface RuleDefinition<Params extends z.ZodObject = z.ZodObject> {
  /** Its parameters; all have defaults. */
  params: Params;
  /** Its switch in the form, and what that does. */
  label: string;
  help?: string;
  /** What other trainers lack: "learning only from worse rollouts". */
  what: string;
  /** Why other settings do not allow it, and what to do; null where they do. */
  clash?: (settings: TrainSettings, rewards: readonly Reward[]) => string | null;
  rule: (params: z.infer<Params>) => ObjectiveRule;
}

/** By id, filled by `defineObjectiveRule`; they act in the order in which they are defined. */
export const definedRules = new Map<string, RuleDefinition>();

/** The rules of an objective. @throws Error for one that is not defined here, as a thread without `systems/objective-rules.ts` */
export function rulesOf({ rules = {} }: Pick<Objective, 'rules'>): ObjectiveRule[] {
  const missing = Object.keys(rules).find((id) => !definedRules.has(id));
  if (missing !== undefined) throw new Error(`objective: the rule "${missing}" is not defined`);
  return [...definedRules].flatMap(([id, { rule }]) => {
    const own = rules[id];
    return own ? [rule(own)] : [];
  });
}

/** How a system weighs the KL, from step to step and from rollout to rollout; as the settings say where it says nothing. */
export interface KlRule {
  /** Coefficient of a step, counted from 1. @param first that of the settings, or what `next` made of it */
  coefficient?: (at: { step: number; steps: number; first: number }) => number;
  /** Whether the loss of a rollout has the KL. @param solved whether a rollout of its group is right */
  pulls?: (rollout: { right: boolean; solved: boolean }) => boolean;
  /** Coefficient of the next step. @param measured KL of this one, nats a token, at the sampler's log-probabilities */
  next?: (coefficient: number, measured: number) => number;
}

/** By id, filled by `defineKl`. */
export const definedKl = new Map<string, (system: SystemSettings) => KlRule>();

/** The rule of a KL; undefined where it is the same for all steps and rollouts. */
export const klRuleOf = ({
  system,
}: {
  system?: SystemSettings | null | undefined;
}): KlRule | undefined =>
  system ? present(definedKl.get(system.id), `KL rule of ${system.id}`)(system) : undefined;

/** What advantages of a step are made of. */
export interface AdvantageParts {
  sequences: readonly Sequence[];
  /** Null where the reference was not scored. */
  references: readonly Float32Array[] | null;
  /** Clauses of the reward that count for single searches; none: all of a reward is the rollout's. */
  steps: readonly string[];
}

/** A critic's linear head, w, then b: hidden size + 1 values. AdamW's moments beside them. */
export interface CriticState {
  values: Float32Array;
  first: Float32Array;
  second: Float32Array;
  updates: number;
}

/** What an estimator asks of the learner: hidden states at the trained tokens, with the adapter that sampled. */
export interface HiddenLearner {
  hidden(
    items: readonly {
      ids: Int32Array;
      mask: Uint8Array;
      temperature: number;
      starts?: readonly number[] | undefined;
    }[],
  ): Promise<HiddenStates[]>;
}

export type StepAdvantages = { advantages: (number | Float32Array)[]; critic?: CriticState };

/** A system's estimator: a step's advantages, and its critic after the step. @param critic as the step before left it */
export type StepEstimator = (
  learner: HiddenLearner,
  critic: CriticState | undefined,
  step: AdvantageParts & { objective: TrainSettings['objective'] },
) => Promise<StepAdvantages>;

/** By id, filled by `defineEstimator`. */
export const stepEstimators = new Map<string, (system: SystemSettings) => Promise<StepEstimator>>();

/** Whether right rollouts teach by themselves, without an advantage. */
export const rightTeach = (objective: Pick<Objective, 'rules'>): boolean =>
  rulesOf(objective).some(({ ofRight }) => ofRight);

/**
 * `−min(ρ A, clip(ρ, 1 − low, 1 + high) A)` for one token, with ρ = π/π_old (PPO, 1707.06347,
 * equation 7; the two bounds apart are DAPO's, 2503.14476, equation 8). Dual clip (1912.09729): for
 * A < 0 the loss is at most −c A. The log ratio is clamped first; outside the clamp the slope is 0.
 */
export function surrogate(
  objective: Objective,
  logRatio: number,
  advantage: number,
  rules = rulesOf(objective),
): Clipped {
  const { clip, dualClip } = objective;
  const clamped = Math.min(LOG_RATIO_CLAMP, Math.max(-LOG_RATIO_CLAMP, logRatio));
  const ratio = Math.exp(clamped);
  const free = -ratio * advantage;
  const own = rules.find((rule) => rule.surrogate)?.surrogate;
  if (own && clip) return own({ ...clip, ceiling: dualClip ?? Infinity }, ratio, advantage);
  const bounded = clip ? -Math.min(1 + clip.high, Math.max(1 - clip.low, ratio)) * advantage : free;
  const ceiling = dualClip !== null && advantage < 0 ? -dualClip * advantage : Infinity;
  const value = Math.min(Math.max(free, bounded), ceiling);
  const stopped = value !== free;
  const flat = stopped || clamped !== logRatio;
  return { value, slope: flat ? 0 : free, clipped: stopped };
}

/** @throws Error where the arrays differ in length. */
export function tokenObjective(objective: Objective, t: SequenceTokens): ObjectiveResult {
  const { logprob, oldLogprob, refLogprob, advantage, weight } = t;
  const n = logprob.length;
  if (oldLogprob.length !== n || (refLogprob !== null && refLogprob.length !== n))
    throw new Error('objective: log-probabilities must have one value per trained token');
  if (typeof advantage !== 'number' && advantage.length !== n)
    throw new Error('objective: advantages must have one value per trained token');
  const { kl: klSettings } = objective;
  const inLoss = klSettings.place === 'loss' ? klSettings.coefficient : 0;
  const rules = rulesOf(objective);
  const terms = t.right ? rules.flatMap(({ ofRight }) => ofRight ?? []) : [];
  const result = { loss: 0, coefficients: new Float32Array(n), clipped: 0, kl: 0 };
  for (let i = 0; i < n; i++) {
    const own = typeof advantage === 'number' ? advantage : itemAt(advantage, i);
    const term = surrogate(objective, itemAt(logprob, i) - itemAt(oldLogprob, i), own, rules);
    const kl =
      refLogprob === null
        ? { value: 0, slope: 0 }
        : klTerm(klSettings.form, itemAt(logprob, i), itemAt(refLogprob, i), LOG_RATIO_CLAMP);
    const of = { value: 0, slope: 0 };
    for (const added of terms) {
      const { value, slope } = added(itemAt(logprob, i), itemAt(oldLogprob, i));
      of.value += value;
      of.slope += slope;
    }
    result.loss += weight * (term.value + inLoss * kl.value + of.value);
    result.coefficients[i] = -weight * (term.slope + inLoss * kl.slope + of.slope);
    result.clipped += Number(term.clipped);
    result.kl += kl.value;
  }
  return result;
}

/** The supervised loss of one sequence, `Σ −weight · logprob`, in the shape of the others. */
export function negativeLogLikelihood(logprob: Float32Array, weight: number): ObjectiveResult {
  const loss = logprob.reduce((sum, value) => sum - weight * value, 0);
  return { loss, coefficients: new Float32Array(logprob.length).fill(weight), clipped: 0, kl: 0 };
}

/**
 * Weight of each token of every sequence in the loss of a batch.
 * - `token-mean` (DAPO): 1 / trained tokens of the batch.
 * - `microBatch` n (Search-R1, whose code takes the mean of each micro-batch by itself): 1 / (micro-batches · trained tokens
 *   of the own one), a micro-batch being the next n sequences; the last may have fewer.
 * - `sequence-mean` (GRPO): 1 / (sequences · own tokens).
 * - `constant` (Dr. GRPO): 1 / (sequences · constant).
 *
 * Sequences without trained tokens weigh 0 and do not count, nor does a micro-batch of such.
 */
export function sequenceWeights(
  aggregation: Objective['aggregation'],
  lengths: ArrayLike<number>,
): Float64Array {
  const all = Array.from(lengths);
  const sequences = all.filter((length) => length > 0).length;
  const own: { microBatch?: number; constant?: number } =
    typeof aggregation === 'string' ? {} : aggregation;
  const size = own.microBatch ?? all.length;
  const partOf = (i: number): number => Math.floor(i / size);
  const parts: number[] = [];
  all.forEach((length, i) => (parts[partOf(i)] = (parts[partOf(i)] ?? 0) + length));
  const means = parts.filter((tokens) => tokens > 0).length;
  return Float64Array.from(all, (length, i) => {
    if (length === 0) return 0;
    if (aggregation === 'sequence-mean') return 1 / (sequences * length);
    if (own.constant !== undefined) return 1 / (sequences * own.constant);
    return 1 / (means * itemAt(parts, partOf(i)));
  });
}
