import { heldOutScores } from '../../evaluate/held-out-scores.ts';
import type { TrainStep } from '../../records/training.ts';

/** What a run came to, for one line of the table. */
export interface RunFigures {
  /** EM of the last step's rollouts. */
  lastEm: number | null;
  /** First and last held-out score; the same one where there is only one. */
  heldOut: { first: number; last: number; n: number; step: number } | null;
}

export const figuresOf = (steps: readonly TrainStep[]): RunFigures => {
  const scored = heldOutScores(steps);
  const first = scored[0];
  const last = scored.at(-1);
  return {
    lastEm: steps.at(-1)?.em ?? null,
    heldOut:
      first && last
        ? { first: first.score.em, last: last.score.em, n: last.score.n, step: last.step }
        : null,
  };
};

/** "baseline, rank 8" → two tags; blanks and repeats are left out. */
export const parseTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
