import type { Rollout } from '../../records/rollout.ts';
import { estimateAdvantages } from '../advantages.ts';
import { trainedTokens } from '../mask.ts';
import { klTerm, sequenceWeights } from '../objective.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount, type TrainItem } from '../replicas/replica.ts';
import { addToReward } from './scoring.ts';
import type { TrainSettings } from '../../recipes/training.ts';

/** From rollout records to what the learner takes. */

/** One rollout's tokens, before advantages. */
export interface Sequence {
  rollout: Rollout;
  group: number;
  ids: Int32Array;
  mask: Uint8Array;
  temperature: number;
  /** Of the trained tokens only. */
  oldLogprobs: Float32Array;
  entropies: Float32Array;
}

/** Entropies of the trained tokens as the sampler saw them. */
function sampledEntropies(rollout: Rollout, count: number): Float32Array {
  const all = rollout.segments.flatMap((s) => (s.mask === 1 ? (s.entropies ?? []) : []));
  return Float32Array.from(all.slice(all.length - count));
}

function sequenceOf(rollout: Rollout, group: number): Sequence {
  const { ids, mask, temperature, oldLogprobs } = trainedTokens(rollout);
  // Nothing precedes a context's first token, so it cannot be predicted.
  const trained = Array.from(mask, (m, i) => (m === 1 && i > 0 ? i : 0)).filter(Boolean);
  return {
    rollout,
    group,
    ids,
    mask,
    temperature,
    oldLogprobs: Float32Array.from(trained, (i) => oldLogprobs[i]!),
    entropies: sampledEntropies(rollout, trained.length),
  };
}

/** Sequences of groups, in order. */
export const sequencesOf = (groups: readonly (readonly Rollout[])[]): Sequence[] =>
  groups.flatMap((group, g) => group.map((rollout) => sequenceOf(rollout, g)));

/**
 * The KL to the reference as a part of the reward, `−coefficient · Σ KL` over the rollout's tokens,
 * at the log-probabilities that the sampler gave them.
 */
export function addKlToRewards(
  sequences: readonly Sequence[],
  references: readonly Float32Array[],
  kl: TrainSettings['objective']['kl'],
): void {
  sequences.forEach(({ rollout, oldLogprobs }, s) => {
    let sum = 0;
    oldLogprobs.forEach((p, i) => (sum += klTerm(kl.form, p, references[s]![i]!).value));
    addToReward(rollout, 'kl', -kl.coefficient * sum);
  });
}

/** Writes baseline (the group's mean) and advantage into the records; returns the advantages. */
export function fillAdvantages(
  sequences: readonly Sequence[],
  objective: TrainSettings['objective'],
): Float64Array {
  const rewards = sequences.map(({ rollout }) => rollout.reward ?? 0);
  const groups = sequences.map(({ group }) => group);
  const lengths = sequences.map(({ mask }) => trainedCount(mask));
  const advantages = estimateAdvantages(objective.estimator, rewards, groups, lengths);
  const sums = new Map<number, { sum: number; n: number }>();
  groups.forEach((group, i) => {
    const { sum, n } = sums.get(group) ?? { sum: 0, n: 0 };
    sums.set(group, { sum: sum + rewards[i]!, n: n + 1 });
  });
  sequences.forEach(({ rollout, group }, i) => {
    const { sum, n } = sums.get(group)!;
    rollout.baseline = sum / n;
    rollout.advantage = advantages[i]!;
  });
  return advantages;
}

/**
 * Items of the optimizer updates: sequence i belongs to update `i mod updates`, so that every update
 * sees some of each group. Weights are those of the update's own batch.
 */
export function updateBatches(
  sequences: readonly Sequence[],
  advantages: Float64Array,
  references: readonly Float32Array[] | null,
  { objective, updates }: Pick<TrainSettings, 'objective' | 'updates'>,
): TrainItem[][] {
  const inLoss = objective.kl.place === 'loss' && references !== null;
  return Array.from({ length: updates }, (_, u) => {
    const places = sequences.map((_s, i) => i).filter((i) => i % updates === u);
    const lengths = places.map((i) => trainedCount(sequences[i]!.mask));
    const { aggregation, constantLength, microBatch } = objective;
    const weights = sequenceWeights(aggregation, constantLength, lengths, microBatch);
    return places
      .map((i, at) => ({
        ids: sequences[i]!.ids,
        mask: sequences[i]!.mask,
        temperature: sequences[i]!.temperature,
        oldLogprobs: sequences[i]!.oldLogprobs,
        refLogprobs: inLoss ? references[i]! : null,
        advantage: advantages[i]!,
        weight: weights[at]!,
      }))
      .filter(({ oldLogprobs }) => oldLogprobs.length > 0);
  }).filter((batch) => batch.length > 0);
}

/** Log-probabilities under the adapter switched off, in the order of the sequences. */
export async function referenceLogprobs(
  learner: PolicyLearner,
  sequences: readonly Sequence[],
): Promise<Float32Array[]> {
  return (await learner.score(sequences, true)).map(({ logprobs }) => logprobs);
}
