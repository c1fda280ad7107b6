import type { Rollout } from '../../records/rollout.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import { addClause, addToReward, totalReward } from '../rewards/parts/clause.ts';
import type { Sequence } from '../mask.ts';
import { klTerm } from '../objective.ts';
import type { RewardFacts } from '../rewards/parts/facts.ts';
import { getReward } from '../rewards/registry.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { itemAt } from '../../base/items.ts';

/**
 * DAPO's soft overlong punishment (2503.14476, equation 13), added to the reward:
 * `min(−(length − (max − buffer)) / buffer, 0)`; 1 is taken at `max`, more beyond it.
 * @param length policy tokens of the rollout
 */
export function overlongPenalty(
  length: number,
  { max, buffer }: { max: number; buffer: number },
): number {
  return Math.min(-(length - (max - buffer)) / buffer, 0);
}

/** Rewards of a step, as clauses of the rollout records, so that a record's reward is their sum. */

type Stage = TrainSettings['stages'][number];

/** Reads the reward inputs of a rollout: its facts, or those after a simulated noisy verifier. */
type FactsReader = (rollout: Rollout) => RewardFacts;

/** Tokens that the policy wrote. */
const writtenTokens = (rollout: Rollout): number =>
  rollout.segments.reduce((sum, s) => sum + (s.source === 'policy' ? s.ids.length : 0), 0);

/** Fills in clauses and reward; the overlong penalty is a clause of its own. */
export function applyRewards(
  rollouts: readonly Rollout[],
  stage: Stage,
  overlong: TrainSettings['overlong'],
  seen: FactsReader,
): void {
  const reward = getReward(stage.reward);
  for (const rollout of rollouts) {
    const clauses = reward.clauses(seen(rollout), stage.weights);
    if (overlong) {
      const value = overlongPenalty(writtenTokens(rollout), overlong);
      clauses.push({ clause: 'overlong', value, weight: 1, evidence: [] });
    }
    rollout.rewards = clauses;
    rollout.reward = totalReward(clauses);
  }
}

/** Adds what a reward pays by the whole group; rewards that look at one rollout alone add nothing. */
export function applyGroupRewards(
  group: readonly Rollout[],
  { reward }: Stage,
  seen: FactsReader,
): void {
  const clauses = getReward(reward).ofGroup?.(group.map((rollout) => seen(rollout))) ?? [];
  for (const [i, clause] of clauses.entries()) addClause(itemAt(group, i, 'group'), clause);
}

/** Adds what a reward pays by all rollouts of a step. @param before share of right answers in the step before */
export function applyBatchRewards(
  batch: readonly Rollout[],
  { reward }: Stage,
  before: number | null,
  seen: FactsReader,
): void {
  const { ofBatch } = getReward(reward);
  if (!ofBatch) return;
  const clauses = ofBatch(
    batch.map((rollout) => seen(rollout)),
    before,
  );
  for (const [i, clause] of clauses.entries()) addClause(itemAt(batch, i, 'step'), clause);
}

/**
 * The control: every rollout gets the reward of another one of the step, by a permutation drawn from
 * the seed. The difference is in the record as the clause `shuffled`.
 */
export function shuffleRewards(rollouts: readonly Rollout[], seed: number, step: number): void {
  const random = new Random(deriveSeed(seed, 'shuffle', step));
  const rewards = random.shuffle(rollouts.map((rollout) => rollout.reward ?? 0));
  rollouts.forEach((rollout, i) => {
    const reward = itemAt(rewards, i, 'rewards');
    addToReward(rollout, 'shuffled', reward - (rollout.reward ?? 0));
    // The sum above rounds; the control trains on exactly the same multiset of rewards.
    rollout.reward = reward;
  });
}

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
    const reference = itemAt(references, s, 'references');
    oldLogprobs.forEach((p, i) => (sum += klTerm(kl.form, p, itemAt(reference, i)).value));
    addToReward(rollout, 'kl', -kl.coefficient * sum);
  });
}
