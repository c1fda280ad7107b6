import type { HeldOutScore, TrainStep } from '../records/training.ts';

/** A score of the held-out questions, and the steps that the policy had made by then. */
export interface ScoredAt {
  step: number;
  score: HeldOutScore;
}

/** Every held-out score of a run in order, that before its first step among them. */
export const heldOutScores = (
  steps: readonly Pick<TrainStep, 'step' | 'heldOut' | 'heldOutAtStart'>[],
): ScoredAt[] =>
  steps.flatMap(({ step, heldOut, heldOutAtStart }) => [
    ...(heldOutAtStart ? [{ step: step - 1, score: heldOutAtStart }] : []),
    ...(heldOut ? [{ step, score: heldOut }] : []),
  ]);
