import type { Rollout } from '../../records/rollout.ts';
import { estimateAdvantages, membersOf } from '../advantages.ts';
import { trainedCount, trainedTokens, type Sequence } from '../mask.ts';
import {
  klRuleOf,
  sequenceWeights,
  stepEstimators,
  type AdvantageParts,
  type CriticState,
  type HiddenLearner,
  type StepAdvantages,
} from '../objective.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { TrainItem } from '../replicas/replica.ts';
import { itemAt, present } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { EstimatorId, TrainSettings } from '../../recipes/parts/training.ts';

/** From rollout records to what the learner takes. */

/** Entropies of the trained tokens as the sampler saw them. */
function sampledEntropies(rollout: Rollout, count: number): Float32Array {
  const all = rollout.segments.flatMap((s) => (s.mask === 1 ? (s.entropies ?? []) : []));
  return Float32Array.from(all.slice(all.length - count));
}

function sequenceOf(rollout: Rollout, group: number): Sequence {
  const { ids, mask, temperature, oldLogprobs, starts } = trainedTokens(rollout);
  // Nothing precedes a context's first token, so it cannot be predicted.
  const trained = Array.from(mask, (m, i) => (m === 1 && i > 0 ? i : 0)).filter(Boolean);
  return {
    rollout,
    group,
    ids,
    mask,
    temperature,
    oldLogprobs: Float32Array.from(trained, (i) => itemAt(oldLogprobs, i, 'log-probabilities')),
    entropies: sampledEntropies(rollout, trained.length),
    ...(starts.length > 0 && { starts }),
  };
}

/** Sequences of groups, in order; what rollouts read as mixtures is added by `withLatents`. */
export const sequencesOf = (groups: readonly (readonly Rollout[])[]): Sequence[] =>
  groups.flatMap((group, g) => group.map((rollout) => sequenceOf(rollout, g)));

/**
 * Writes baseline (the group's mean) and advantage into the records; returns the advantages: one per rollout, or,
 * with `credit: span`, one a trained token.
 * @param steps clauses of the reward that count for single searches; none: all of a reward is the rollout's
 */
export async function fillAdvantages(
  sequences: readonly Sequence[],
  estimator: EstimatorId,
  steps: readonly string[] = [],
): Promise<(number | Float32Array)[]> {
  const spans = steps.length > 0 ? await import('../span-advantages.ts') : null;
  const rewards = sequences.map(
    ({ rollout }) => spans?.outcomeOf(rollout, steps) ?? rollout.reward ?? 0,
  );
  const groups = sequences.map(({ group }) => group);
  const lengths = sequences.map(({ mask }) => trainedCount(mask));
  const advantages = estimateAdvantages(estimator, rewards, groups, lengths);
  for (const members of membersOf(groups)) {
    const baseline = mean(members.map((i) => itemAt(rewards, i, 'rewards')));
    for (const i of members) {
      const { rollout } = itemAt(sequences, i, 'sequences');
      rollout.baseline = baseline;
      rollout.advantage = itemAt(advantages, i, 'advantages');
    }
  }
  if (!spans) return [...advantages];
  return spans
    .stepAdvantages(sequences, steps)
    .map((own, i) => own.map((value) => value + itemAt(advantages, i, 'advantages')));
}

/** Only a KL in the reward needs it. */
const rewards = () => import('./scoring.ts');

/**
 * A step's advantages, by groups or by a system's estimator; the KL goes into the rewards where that is its place,
 * token by token for a critic. Baselines, advantages and what the KL cost are written into the records.
 */
export async function stepAdvantagesOf(
  learner: HiddenLearner,
  objective: TrainSettings['objective'],
  { sequences, references, steps }: AdvantageParts,
  critic: CriticState | undefined,
): Promise<StepAdvantages> {
  const inReward = objective.kl.place === 'reward' ? references : null;
  const { estimator } = objective;
  if (typeof estimator === 'string') {
    if (inReward) (await rewards()).addKlToRewards(sequences, inReward, objective.kl);
    return { advantages: await fillAdvantages(sequences, estimator, steps) };
  }
  const load = present(stepEstimators.get(estimator.id), `estimator of ${estimator.id}`);
  const estimate = await load(estimator);
  const made = await estimate(learner, critic, {
    sequences,
    references: inReward,
    objective,
    steps,
  });
  if (inReward) (await rewards()).addKlToRewards(sequences, inReward, objective.kl);
  return made;
}

const isRight = ({ rollout }: Sequence): boolean => rollout.metrics?.em === 1;

/**
 * Items of the optimizer updates: sequence i belongs to update `i mod updates`, so that every update
 * sees some of each group. Weights are those of the update's own batch.
 * @param stale ids of rollouts that an earlier adapter sampled
 */
export function updateBatches(
  sequences: readonly Sequence[],
  advantages: ArrayLike<number | Float32Array>,
  references: readonly Float32Array[] | null,
  { objective, updates }: Pick<TrainSettings, 'objective' | 'updates'>,
  stale?: ReadonlySet<string>,
): TrainItem[][] {
  const inLoss = objective.kl.place === 'loss' && references !== null;
  const rule = klRuleOf(objective.kl);
  const solved = new Set(sequences.flatMap((one) => (isRight(one) ? [one.group] : [])));
  const isPulled = (one: Sequence): boolean =>
    rule?.pulls?.({ right: isRight(one), solved: solved.has(one.group) }) ?? true;
  return Array.from({ length: updates }, (_, u) => {
    const own = sequences
      .map((sequence, i) => ({ sequence, i }))
      .filter(({ i }) => i % updates === u);
    const lengths = own.map(({ sequence }) => trainedCount(sequence.mask));
    const weights = sequenceWeights(objective.aggregation, lengths);
    return own
      .map(({ sequence, i }, at) => ({
        ids: sequence.ids,
        mask: sequence.mask,
        temperature: sequence.temperature,
        oldLogprobs: sequence.oldLogprobs,
        behaviour: sequence.behaviour,
        latents: sequence.latents,
        starts: sequence.starts,
        refLogprobs: inLoss && isPulled(sequence) ? itemAt(references, i, 'references') : null,
        advantage: itemAt(advantages, i, 'advantages'),
        weight: itemAt(weights, at, 'weights'),
        right: isRight(sequence),
        ...((sequence.otherContext ?? stale?.has(sequence.rollout.id)) && { stale: true }),
      }))
      .filter(({ oldLogprobs }) => oldLogprobs.length > 0);
  }).filter((batch) => batch.length > 0);
}

/** Log-probabilities under the adapter switched off, in the order of the sequences. */
export async function referenceLogprobs(
  learner: Pick<PolicyLearner, 'score'>,
  sequences: readonly Sequence[],
): Promise<Float32Array[]> {
  return (await learner.score(sequences, true)).map(({ logprobs }) => logprobs);
}
