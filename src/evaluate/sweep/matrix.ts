import { meanOrNull } from '../../base/statistics.ts';
import type { TrainStep } from '../../records/training.ts';
import { heldOutScores } from '../held-out-scores.ts';

/** What a run of a sweep came to, by the number that is chosen. */

interface SweepMetric {
  id: string;
  title: string;
  /** A share between 0 and 1, shown in percent; a difference of shares, in points. */
  unit: 'share' | 'points' | 'number' | 'seconds';
  /** Whether more is better. */
  up: boolean;
  /** Null where the steps do not say it. */
  read: (steps: readonly TrainStep[]) => number | null;
}

/** Steps at the end of a run that a noisy number is the mean of. */
const LAST = 5;

const lastMean = (
  steps: readonly TrainStep[],
  of: (step: TrainStep) => number | null,
): number | null => meanOrNull(steps.slice(-LAST).flatMap((step) => of(step) ?? []));

const lastScore = (steps: readonly TrainStep[]) => heldOutScores(steps).at(-1)?.score;

export const SWEEP_METRICS: readonly SweepMetric[] = [
  {
    id: 'em',
    title: 'held-out EM at the end',
    unit: 'share',
    up: true,
    read: (steps) => lastScore(steps)?.em ?? null,
  },
  {
    id: 'gain',
    title: 'held-out EM, change since the first score',
    unit: 'points',
    up: true,
    read: (steps) => {
      const scores = heldOutScores(steps);
      const [first, last] = [scores[0]?.score, scores.at(-1)?.score];
      return first && last && scores.length > 1 ? last.em - first.em : null;
    },
  },
  {
    id: 'f1',
    title: 'held-out F1 at the end',
    unit: 'share',
    up: true,
    read: (steps) => lastScore(steps)?.f1 ?? null,
  },
  {
    id: 'searches',
    title: 'searches per held-out question',
    unit: 'number',
    up: true,
    read: (steps) => lastScore(steps)?.searches ?? null,
  },
  {
    id: 'reward',
    title: `training reward, mean of the last ${LAST} steps`,
    unit: 'number',
    up: true,
    read: (steps) => lastMean(steps, ({ reward }) => reward.mean),
  },
  {
    id: 'seconds',
    title: `seconds per step, mean of the last ${LAST}`,
    unit: 'seconds',
    up: false,
    read: (steps) => lastMean(steps, ({ seconds }) => seconds.total),
  },
];

export type { SweepMetric };

/** Between 0, the least of the values, and 1, the most; a half where all are equal. */
export function shade(value: number, values: readonly number[]): number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high > low ? (value - low) / (high - low) : 0.5;
}

/** Places of the best value, all that equal it; none where every value does. */
export function bestOf(
  values: readonly (number | null)[],
  { up }: Pick<SweepMetric, 'up'>,
): number[] {
  const known = values.flatMap((value) => value ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!(high > low)) return [];
  const best = up ? high : low;
  return values.flatMap((value, i) => (value === best ? [i] : []));
}
