import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { deriveSeed } from '../../base/random.ts';
import { runGroup } from '../../agent/run.ts';
import { recipeOf } from '../../recipes/registry.ts';
import { checkFaults, rolloutOverrides } from '../rl/collect.ts';
import type { Curriculum, CurriculumContext } from '../rl/contracts.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** A curriculum whose questions are scored by repeated rollouts before the first draw. */
export interface ScoredCurriculum extends Curriculum {
  /** Questions that have no score yet, the place of the first, and rollouts of each. */
  readonly unscored: { from: number; questions: readonly Question[]; size: number };
  /** Takes the scores of the next questions, each from 0 to 1. */
  addScores(more: readonly number[]): void;
}

export const isScored = (curriculum: Curriculum): curriculum is ScoredCurriculum =>
  'unscored' in curriculum;

/** Rollouts that run together. */
const WAVE = 64;

/**
 * A question's score s: the share of its rollouts whose answer is right (exact match). The paper's
 * "average performance score" is an accuracy: C.5 calls the dropped questions those "with rollout
 * accuracy below 0.2". The reward would mix in format and retrieval, and has another range.
 */
const accuracy = (rollouts: readonly Rollout[]): number =>
  rollouts.reduce((sum, { metrics }) => sum + (metrics?.em ?? 0), 0) / rollouts.length;

/** Name and seed of the group that scores the question at a place of the pool. */
export const scoringGroup = (
  { seed }: Pick<TrainSettings, 'seed'>,
  runId: string,
  place: number,
): { groupId: string; seed: number } => ({
  groupId: `${runId}-scoring-${place}`,
  seed: deriveSeed(seed, 'scoring', place),
});

/**
 * Scores questions by repeated rollouts with the policy as it is, at the run's temperature. The seeds
 * of a question follow from its place only, so that scoring may end anywhere and continue later.
 *
 * @param size rollouts of a question
 * @param from place of the first question that has no score yet
 * @param onScores told of a wave's scores, in order
 * @returns false where `context.shouldStop` ended it early
 * @throws Error where the policy fails or the signal aborts
 */
export async function scoreQuestions(
  settings: TrainSettings,
  { questions, size, from }: { questions: readonly Question[]; size: number; from: number },
  context: CurriculumContext,
  onScores: (scores: number[]) => Promise<void>,
): Promise<boolean> {
  const { agent, runId, signal } = context;
  const recipe = recipeOf(settings);
  const overrides = rolloutOverrides(settings, settings.temperature);
  const wave = Math.max(1, Math.floor(WAVE / size));
  context.onProgress(from, questions.length);
  for (let at = from; at < questions.length; at += wave) {
    if (context.shouldStop()) return false;
    const groups = await Promise.all(
      questions.slice(at, at + wave).map((question, i) =>
        runGroup(agent, {
          question,
          recipe,
          overrides,
          ...scoringGroup(settings, runId, at + i),
          size,
          runId,
          step: 0,
          onRollout: (rollout) => context.onEnded?.(rollout),
          ...(signal ? { signal } : {}),
        }),
      ),
    );
    signal?.throwIfAborted();
    checkFaults(groups.flat());
    await onScores(groups.map(accuracy));
    context.onProgress(at + groups.length, questions.length);
  }
  return true;
}
