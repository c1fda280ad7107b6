import { heldOutScores } from '../../evaluate/held-out-scores.ts';
import type { TrainStep } from '../../records/training.ts';
import type { Point } from '../kit/charts/downsample.ts';

/** Numbers of a run for its table row. */
export interface RunFigures {
  /** EM of the last step's rollouts. */
  lastEm: number | null;
  /** First and last held-out score; may be the same. */
  heldOut: { first: number; last: number; n: number; step: number } | null;
}

/** The curve of a run's sparkline: its held-out EM; its training EM with fewer than two scores. */
export interface RunCurve {
  name: string;
  points: Point[];
}

/** Points of a run’s sparkline, 0 to 1; the score before training is at step 0. */
export const curveOf = (steps: readonly TrainStep[]): RunCurve => {
  const scored = heldOutScores(steps);
  if (scored.length > 1)
    return {
      name: 'held-out EM by step',
      points: scored.map(({ step, score }) => ({ x: step, y: score.em })),
    };
  return {
    name: 'training EM',
    points: steps.flatMap(({ step, em }) => (em === null ? [] : [{ x: step, y: em }])),
  };
};

/** Requires all steps of a run, in order. */
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

/** "baseline, rank 8" → two tags, trimmed and distinct. */
export const parseTags = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
