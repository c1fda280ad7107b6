import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import {
  klTerm,
  LOG_RATIO_CLAMP,
  sequenceWeights,
  tokenObjective,
  type Objective,
} from '../../../learn/objective.ts';
import { advantagesUnder, needsLengths, type Normalisation } from './advantages.ts';
import {
  flatTokens,
  hasStoredMask,
  trainedCount,
  type FlatTokens,
  type MaskChoice,
} from './tokens.ts';
import type { EstimatorId } from '../../../recipes/parts/training.ts';
import { groupBy, itemAt } from '../../../base/items.ts';
import { mean, sum } from '../../../base/statistics.ts';

/**
 * What the loss of a batch would have been under other settings, from stored numbers alone: rewards,
 * log-probabilities of the sampler and of the reference, and who wrote which token.
 */

export interface WhatIfSettings {
  objective: Objective & { estimator: EstimatorId };
  normalisation: Normalisation;
  mask: MaskChoice;
}

/** One token that the loss trains. */
interface TokenWeights {
  /** Place of each token: segment, and token in it. */
  segment: Int32Array;
  index: Int32Array;
  /** 1 where trained; the other columns are 0 elsewhere. */
  mask: Uint8Array;
  /** Share of the token in the batch's loss, from the aggregation alone. */
  weight: Float64Array;
  /**
   * `−∂loss/∂logprob`: weight · advantage where the ratio is 1, less the KL's pull. How hard the update
   * pushes this token up (or, negative, down).
   */
  push: Float64Array;
  /** KL estimate to the reference, nats; NaN where the file has no reference log-probability. */
  kl: Float64Array;
}

export interface RolloutOutcome {
  id: string;
  /** With the KL's part where it is in the reward. */
  reward: number | null;
  /** Mean reward of the group; of the others for RLOO. */
  baseline: number | null;
  advantage: number | null;
  trainedTokens: number | null;
  tokens: TokenWeights | null;
}

/** Weight of one trained token in the loss: the largest, because tokens outside the loss have 0. Null without tokens. */
export const tokenWeightOf = ({ tokens }: RolloutOutcome): number | null =>
  tokens ? tokens.weight.reduce((most, weight) => Math.max(most, weight), 0) : null;

/** Sum of the pushes on all tokens: above 0 the update makes the rollout more probable. Null without tokens. */
export const totalPushOf = ({ tokens }: RolloutOutcome): number | null =>
  tokens ? tokens.push.reduce((sum, push) => sum + push, 0) : null;

export interface Side {
  rollouts: RolloutOutcome[];
  /** Group ids whose rewards are all equal: they teach nothing. */
  zeroVariance: string[];
  /** Trained tokens whose ratio the clip stopped; null where the file cannot say. */
  clipped: number | null;
  /** What could not be computed, and what the file would have to hold. */
  cannot: string[];
}

/** Log-probabilities under the policy of the update, one per token of the flat list; else the sampler's. */
export type CurrentLogprobs = (rollout: ImportedRollout) => ArrayLike<number> | null;

interface Member {
  rollout: ImportedRollout;
  group: number;
  flat: FlatTokens | null;
}

/** Why no clip can bind without the log-probabilities of a later policy: by whether all, some or no rollouts have the sampler's. */
const RATIO_IS_ONE = {
  all: 'clip: the file has one log-probability per token, the sampler’s, so that every ratio is 1 and no clip can bind',
  some: 'clip: some rollouts have no log-probabilities, the others one per token, the sampler’s: every ratio is taken as 1, as at the first update, and no clip can bind',
  none: 'clip: the file has no log-probabilities: every ratio is taken as 1, as at the first update, and no clip can bind',
} as const;
const NO_TOKENS =
  'token weights: the file has no tokens (ids, or token texts) in some rollouts; they are left out';
const NO_LENGTHS =
  'whitening over the batch counts trained tokens, and the file has no tokens in some rollouts: no advantage can be given';
const NO_REWARD = 'advantages: a rollout of the group has no reward';
const NO_REFERENCE = 'KL: the file has no reference log-probabilities';
const NO_MASK = 'the file has no loss mask: the model’s own text is taken as trained';

const haveLogprobs = (rollouts: readonly ImportedRollout[]): keyof typeof RATIO_IS_ONE => {
  const known = rollouts.filter(({ segments }) => segments.some(({ logprobs }) => logprobs));
  if (known.length === 0) return 'none';
  return known.length === rollouts.length ? 'all' : 'some';
};

/** Σ KL over the trained tokens; null where a log-probability is missing. */
function klSum(flat: FlatTokens, form: Objective['kl']['form']): number | null {
  let sum = 0;
  for (let i = 0; i < flat.mask.length; i++) {
    if (flat.mask[i] !== 1) continue;
    sum += klTerm(form, itemAt(flat.logprobs, i), itemAt(flat.refLogprobs, i)).value;
  }
  return Number.isFinite(sum) ? sum : null;
}

/** Rewards, with the KL in them where the settings put it there. */
function rewardsOf(
  members: readonly Member[],
  { kl }: Objective,
  cannot: Set<string>,
): (number | null)[] {
  return members.map(({ rollout, flat }) => {
    // What a KL in the reward had taken is in the stored reward: it is put back first.
    const stored = rollout.rewards.filter(({ clause }) => clause === 'kl');
    const taken = stored.reduce((sum, { value, weight }) => sum + value * weight, 0);
    if (rollout.reward === null) return null;
    const plain = stored.length === 0 ? rollout.reward : rollout.reward - taken;
    if (kl.place !== 'reward') return plain;
    const sum = flat && klSum(flat, kl.form);
    if (sum === null) {
      cannot.add(`${NO_REFERENCE}; rewards are without it`);
      return plain;
    }
    return plain - kl.coefficient * sum;
  });
}

const gather = (from: Float64Array, places: readonly number[]): Float32Array =>
  Float32Array.from(places, (i) => itemAt(from, i, 'tokens'));

const finite = (values: Float32Array): boolean => values.every((value) => Number.isFinite(value));

function tokenWeights(
  flat: FlatTokens,
  advantage: number,
  weight: number,
  settings: WhatIfSettings,
  current: ArrayLike<number> | null,
  cannot: Set<string>,
): { tokens: TokenWeights; clipped: number } {
  const { objective } = settings;
  const places = Array.from(flat.mask, (bit, i) => (bit === 1 ? i : -1)).filter((i) => i >= 0);
  const stored = gather(flat.logprobs, places);
  const known = finite(stored);
  // Without log-probabilities the ratio is still 1 at the first update; only the KL is lost.
  const old = known ? stored : new Float32Array(places.length);
  const now = known && current ? Float32Array.from(places, (i) => current[i] ?? NaN) : old;
  const reference = gather(flat.refLogprobs, places);
  const hasReference = known && finite(reference);
  const wantsKl = objective.kl.place === 'loss' && objective.kl.coefficient > 0;
  if (wantsKl && !hasReference) cannot.add(`${NO_REFERENCE}; the loss is without it`);
  const result = tokenObjective(objective, {
    logprob: now,
    oldLogprob: old,
    refLogprob: hasReference ? reference : null,
    advantage,
    weight,
  });
  const n = flat.mask.length;
  const tokens: TokenWeights = {
    segment: flat.segment,
    index: flat.index,
    mask: flat.mask,
    weight: new Float64Array(n),
    push: new Float64Array(n),
    kl: new Float64Array(n),
  };
  places.forEach((place, i) => {
    tokens.weight[place] = weight;
    tokens.push[place] = itemAt(result.coefficients, i, 'coefficients');
    tokens.kl[place] = hasReference
      ? klTerm(objective.kl.form, itemAt(now, i), itemAt(reference, i), LOG_RATIO_CLAMP).value
      : NaN;
  });
  return { tokens, clipped: result.clipped };
}

function baselines(
  members: readonly Member[],
  rewards: readonly number[],
  leaveOneOut: boolean,
): (number | null)[] {
  return members.map(({ group }, i) => {
    const own = rewards.filter((_r, j) => itemAt(members, j, 'rollouts').group === group);
    if (!leaveOneOut) return mean(own);
    return own.length < 2 ? null : (sum(own) - itemAt(rewards, i, 'rewards')) / (own.length - 1);
  });
}

function membersOf(rollouts: readonly ImportedRollout[], mask: MaskChoice): Member[] {
  const numbers = new Map<string, number>();
  return rollouts.map((rollout) => {
    const group = numbers.get(rollout.groupId) ?? numbers.size;
    numbers.set(rollout.groupId, group);
    return { rollout, group, flat: flatTokens(rollout, mask) };
  });
}

/** Ids of groups of two and more whose rewards are all equal. */
function flatGroups(members: readonly Member[], rewards: readonly (number | null)[]): string[] {
  const rows = members.map(({ rollout }, i) => ({
    id: rollout.groupId,
    reward: itemAt(rewards, i, 'rewards'),
  }));
  return [...groupBy(rows, ({ id }) => id)]
    .filter(([, [first, ...others]]) => {
      if (!first || first.reward === null || others.length === 0) return false;
      return others.every(({ reward }) => reward === first.reward);
    })
    .map(([id]) => id);
}

/**
 * One side of the comparison: rewards, advantages and token weights of a batch under some settings. The
 * batch is what is given: whitening and token means are over these rollouts.
 */
export function computeSide(
  rollouts: readonly ImportedRollout[],
  settings: WhatIfSettings,
  current?: CurrentLogprobs,
): Side {
  const { objective, normalisation, mask } = settings;
  const cannot = new Set<string>();
  const members = membersOf(rollouts, mask);
  if (mask === 'stored' && !rollouts.every(hasStoredMask)) cannot.add(NO_MASK);
  const complete = members.every(({ flat }) => flat !== null);
  if (!complete) cannot.add(NO_TOKENS);
  if (objective.clip && !current) cannot.add(RATIO_IS_ONE[haveLogprobs(rollouts)]);
  const rewards = rewardsOf(members, objective, cannot);
  const lengths = members.map(({ flat }) => (flat ? trainedCount(flat) : 0));
  const known = rewards.every((reward) => reward !== null);
  if (!known) cannot.add(NO_REWARD);
  const whitens = needsLengths(objective.estimator, normalisation);
  if (whitens && !complete) cannot.add(NO_LENGTHS);
  const groups = members.map(({ group }) => group);
  const advantages =
    known && (complete || !whitens)
      ? advantagesUnder(objective.estimator, normalisation, rewards, groups, lengths)
      : null;
  const means = known ? baselines(members, rewards, objective.estimator === 'rloo') : null;
  const weights = sequenceWeights(objective.aggregation, lengths);
  let clipped = 0;
  const outcomes = members.map((member, i): RolloutOutcome => {
    const made =
      member.flat && advantages
        ? tokenWeights(
            member.flat,
            itemAt(advantages, i, 'advantages'),
            itemAt(weights, i, 'weights'),
            settings,
            current?.(member.rollout) ?? null,
            cannot,
          )
        : null;
    clipped += made?.clipped ?? 0;
    return {
      id: member.rollout.id,
      reward: itemAt(rewards, i, 'rewards'),
      baseline: means && itemAt(means, i, 'baselines'),
      advantage: advantages && itemAt(advantages, i, 'advantages'),
      trainedTokens: member.flat ? itemAt(lengths, i, 'lengths') : null,
      tokens: made?.tokens ?? null,
    };
  });
  return {
    rollouts: outcomes,
    zeroVariance: flatGroups(members, rewards),
    clipped: current ? clipped : null,
    cannot: [...cannot],
  };
}

export interface WhatIf {
  before: Side;
  after: Side;
  /** Advantages from the file, one per rollout; null where it has none. */
  stored: (number | null)[];
}

/** The same rollouts under two settings, beside what the file says. */
export const whatIf = (
  rollouts: readonly ImportedRollout[],
  before: WhatIfSettings,
  after: WhatIfSettings,
  current?: CurrentLogprobs,
): WhatIf => ({
  before: computeSide(rollouts, before, current),
  after: computeSide(rollouts, after, current),
  stored: rollouts.map(({ advantage }) => advantage),
});
