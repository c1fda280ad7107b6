import { shareInterval } from '../../base/statistics.ts';
import { heldOutScores } from '../../evaluate/held-out-scores.ts';
import type { HeldOutScore, TrainStep } from '../../records/training.ts';
import type { Point } from '../kit/charts/downsample.ts';
import type { ChartSpec, Series, Unit } from '../kit/charts/series.ts';
import { bandOf } from './seed-bands.ts';

/** One measure of several runs on shared axes. */

/** A run with its place in the comparison. */
export interface ComparedRun {
  id: string;
  /** A, B, C …: labels of the lines. */
  letter: string;
  colour: number;
  steps: readonly TrainStep[];
}

/** A value of a step; null if not measured. */
type Measure = (step: TrainStep) => number | null;

/** A held-out score, which some steps have, and the run before its first step. */
interface OfHeldOut {
  heldOut: (score: HeldOutScore) => number;
}

/** Points (step, value) with a measurement; other steps are omitted, not drawn as 0. */
const placesOf = (steps: readonly TrainStep[], of: Compared['of']): Point[] => {
  const all =
    typeof of === 'function'
      ? steps.map((step) => ({ x: step.step, y: of(step) }))
      : heldOutScores(steps).map(({ step, score }) => ({ x: step, y: of.heldOut(score) }));
  return all.flatMap(({ x, y }) => (y === null || !Number.isFinite(y) ? [] : [{ x, y }]));
};

/** A measure for comparison, with its notes. */
interface Compared {
  id: string;
  title: string;
  /** What it measures, and its unit, below the title. */
  note: string;
  unit: Unit;
  of: Measure | OfHeldOut;
  /** Values that the axis always includes. */
  include?: readonly number[];
}

/** Held-out scores first: they use the same questions in every run; the others depend on settings. */
const MEASURES: readonly Compared[] = [
  {
    id: 'held-out-em',
    title: 'Held-out EM',
    note: 'fixed questions, 95 % interval',
    unit: 'share',
    of: { heldOut: ({ em }) => em },
  },
  {
    id: 'held-out-f1',
    title: 'Held-out F1',
    note: 'fixed questions',
    unit: 'share',
    of: { heldOut: ({ f1 }) => f1 },
  },
  {
    id: 'em',
    title: 'Training EM',
    note: 'share of the training rollouts, at the run’s temperature',
    unit: 'share',
    of: ({ em }) => em,
  },
  {
    id: 'reward',
    title: 'Reward',
    note: 'mean; comparable only between equal reward settings',
    unit: 'number',
    of: ({ reward }) => reward.mean,
  },
  {
    id: 'searches',
    title: 'Searches',
    note: 'mean per rollout',
    unit: 'number',
    of: ({ searches }) => searches,
    include: [0],
  },
  {
    id: 'length',
    title: 'Response length',
    note: 'mean tokens written by the model',
    unit: 'tokens',
    of: ({ responseTokens }) => responseTokens,
    include: [0],
  },
  {
    id: 'entropy',
    title: 'Entropy',
    note: 'nats per model token',
    unit: 'nats',
    of: ({ entropy }) => entropy,
    include: [0],
  },
  {
    id: 'kl',
    title: 'KL to the reference',
    note: 'k3, nats per token',
    unit: 'nats',
    of: ({ kl }) => kl,
    include: [0],
  },
  {
    id: 'gradient',
    title: 'Gradient norm',
    note: 'before clipping',
    unit: 'number',
    of: ({ gradientNorm }) => gradientNorm,
    include: [0],
  },
  {
    id: 'seconds',
    title: 'Seconds per step',
    note: 'all phases',
    unit: 'seconds',
    of: ({ seconds }) => seconds.total,
    include: [0],
  },
];

/** Drawn only if the runs differ. */
const RATE: Compared = {
  id: 'rate',
  title: 'Learning rate',
  note: 'as applied',
  unit: 'number',
  of: ({ learningRate }) => learningRate,
  include: [0],
};

/** Whether two runs have different rates at a common step. */
const ratesDiffer = (runs: readonly ComparedRun[]): boolean => {
  const known = new Map<number, number>();
  for (const { steps } of runs)
    for (const { step, learningRate } of steps) {
      if (learningRate === null) continue;
      const other = known.get(step) ?? learningRate;
      if (other !== learningRate) return true;
      known.set(step, other);
    }
  return false;
};

/** One run’s line. The letter is its name, so that charts do not depend on colour. */
const seriesOf = ({ id, letter, colour, steps }: ComparedRun, measure: Compared): Series => ({
  id,
  name: letter,
  colour,
  points: placesOf(steps, measure.of),
  ...(typeof measure.of === 'object' && { sparse: true }),
  ...(measure.id === 'held-out-em' && {
    interval: new Map(
      heldOutScores(steps).map(({ step, score }) => [step, shareInterval(score.em, score.n)]),
    ),
  }),
});

/** Runs that differ only in the seed as one line: their mean, with the range as a band. */
const groupSeries = (group: readonly ComparedRun[], measure: Compared): Series[] => {
  const [first] = group;
  if (!first) return [];
  const own = group.map((run) => seriesOf(run, measure));
  if (group.length === 1) return own;
  const { points, interval } = bandOf(own.map((series) => series.points));
  return [
    {
      id: first.id,
      name: group.map(({ letter }) => letter).join(''),
      colour: first.colour,
      points,
      interval,
      ...(own[0]?.sparse && { sparse: true }),
    },
  ];
};

/**
 * A chart per measure with a line per run that measured it.
 * @param groups indices of runs drawn as one line with a band; absent: each run by itself
 */
export const comparedCharts = (
  runs: readonly ComparedRun[],
  groups: readonly (readonly number[])[] = runs.map((_, place) => [place]),
): ChartSpec[] =>
  [...MEASURES, ...(ratesDiffer(runs) ? [RATE] : [])].map((measure) => ({
    id: measure.id,
    title: measure.title,
    note: groups.some(({ length }) => length > 1)
      ? `${measure.note}; for runs that differ only in the seed: mean, with the range over seeds as a band`
      : measure.note,
    unit: measure.unit,
    kind: 'lines' as const,
    series: groups
      .flatMap((places) =>
        groupSeries(
          places.flatMap((place) => runs[place] ?? []),
          measure,
        ),
      )
      .filter(({ points }) => points.length > 0),
    ...(measure.include && { include: measure.include }),
    empty: 'None of these runs measured this.',
  }));
