import type { PlannedScore, PlannedTraining, StudyPlan } from './plan.ts';

/** The work of a plan, one piece after another; what is there is not made again. */

export interface StudyWork {
  hasTrained(key: string): boolean;
  hasScore(key: string): boolean;
  /** Trains and keeps; continues with a training that was begun. */
  train(training: PlannedTraining): Promise<void>;
  /** Scores and keeps. */
  score(score: PlannedScore): Promise<void>;
  /** Told of each piece that is made. */
  onDone?(left: WorkLeft): void;
  /** Told of a piece that failed. */
  onFault?(key: string, error: unknown): void;
  signal?: AbortSignal;
}

export interface WorkLeft {
  trainings: PlannedTraining[];
  scores: PlannedScore[];
}

/** What of the plan is not there yet. */
export const workLeft = (
  { trainings, scores }: StudyPlan,
  { hasTrained, hasScore }: Pick<StudyWork, 'hasTrained' | 'hasScore'>,
): WorkLeft => ({
  trainings: trainings.filter(({ key }) => !hasTrained(key)),
  scores: scores.filter(({ key }) => !hasScore(key)),
});

/**
 * Makes what is missing: scores at step 0 first, then each training and at once its scores. A piece that
 * fails leaves the others to be made; scores of a training that failed are left out.
 * @returns keys of what failed
 * @throws the signal's reason once it is aborted
 */
export async function executePlan(plan: StudyPlan, work: StudyWork): Promise<string[]> {
  const failed: string[] = [];
  const attempt = async (key: string, make: () => Promise<void>): Promise<void> => {
    work.signal?.throwIfAborted();
    try {
      await make();
    } catch (error) {
      work.signal?.throwIfAborted();
      failed.push(key);
      work.onFault?.(key, error);
      return;
    }
    work.onDone?.(workLeft(plan, work));
  };
  const scoresOf = async (training: string | null): Promise<void> => {
    for (const score of plan.scores)
      if (score.training === training && !work.hasScore(score.key))
        await attempt(score.key, () => work.score(score));
  };
  await scoresOf(null);
  for (const training of plan.trainings) {
    if (!work.hasTrained(training.key)) await attempt(training.key, () => work.train(training));
    if (!failed.includes(training.key)) await scoresOf(training.key);
  }
  return failed;
}
