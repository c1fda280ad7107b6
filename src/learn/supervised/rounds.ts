import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { ItemScores, ScoredItem } from '../replicas/replica.ts';
import { stageAt } from '../settings/stages.ts';

/**
 * Iterated preference optimisation (WebThinker, arXiv 2504.21776, section 3.4; 2404.19733, section 2): round i samples with
 * π_i, makes its pairs, and learns by
 *
 *     −ln σ(β · [ln π(y⁺)/π_i(y⁺) − ln π(y⁻)/π_i(y⁻)])
 *
 * from π_i on to π_{i+1}. With one round the reference is the policy as the stage begins, after a stage of reinforcement
 * learning that one's; with none the checkpoint.
 */

type Staged = Pick<TrainSettings, 'stages' | 'steps'>;

/** How many steps a stage has: the last one takes what is left. */
function stepsOf({ stages, steps }: Staged, stage: number): number {
  const before = sum(stages.slice(0, stage).map((one) => one.steps));
  const own = itemAt(stages, stage, 'stages').steps;
  return stage === stages.length - 1 ? steps - before : Math.min(own, steps - before);
}

/** Whether a round begins with step `at`, from 0, of `count` steps: round i with the first step from i · count / rounds on; of more rounds than steps with every step. */
export const beginsRound = (at: number, count: number, rounds: number): boolean =>
  at === 0 || Math.floor((at * rounds) / count) !== Math.floor(((at - 1) * rounds) / count);

/** What a step begins with. */
interface Before {
  /** Steps that are done. */
  step: number;
  adapter: Float32Array;
  /** Adapter of the reference of the round, from the step before. */
  reference?: Float32Array;
}

/**
 * Adapter of the reference of the step that follows; null where that is the checkpoint.
 * @throws Error where a round is under way and its reference is not there
 */
export function roundReference(settings: Staged, before: Before): Float32Array | null {
  const { stages } = settings;
  const stage = stageAt(stages, before.step + 1);
  const { loss } = itemAt(stages, stage, 'stages');
  if (loss?.kind !== 'dpo' || loss.rounds === undefined) return null;
  const at = before.step - sum(stages.slice(0, stage).map((one) => one.steps));
  if (beginsRound(at, stepsOf(settings, stage), loss.rounds)) return before.adapter;
  if (!before.reference)
    throw new Error('training: the reference of the current round of preferences is missing');
  return before.reference;
}

/** The two adapters that a preference is between. */
export interface Adapters {
  policy: Float32Array;
  /** Null: the checkpoint without one. */
  reference: Float32Array | null;
}

/** Scores of the reference; the learner holds the policy's adapter before and after. */
export async function referenceScores(
  learner: PolicyLearner,
  items: readonly ScoredItem[],
  { policy, reference }: Adapters,
): Promise<ItemScores[]> {
  if (reference === null) return learner.score(items, true);
  learner.setAdapter(reference);
  try {
    return await learner.score(items, false);
  } finally {
    learner.setAdapter(policy);
  }
}
