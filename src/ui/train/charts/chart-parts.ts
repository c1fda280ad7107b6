import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { heldOutScores } from '../../../evaluate/held-out-scores.ts';
import type { HeldOutScore, TrainStep } from '../../../records/training.ts';
import type { Point } from '../../kit/charts/downsample.ts';
import type { ChartSpec, Series } from '../../kit/charts/series.ts';

/** What the charts of a run are made of: lines over steps, and a chart of some lines. */

/** Records of a run’s steps, in order. */
export type Steps = readonly TrainStep[];

/** Steps that made rollouts: one on stored trajectories has none to measure. */
export const withRollouts = (steps: Steps): Steps => steps.filter(({ rollouts }) => rollouts !== 0);

/** A measurement that was not made leaves no point. */
const pointsOf = (steps: Steps, of: (step: TrainStep) => number | null | undefined): Point[] => {
  const points: Point[] = [];
  for (const step of steps) {
    const y = of(step);
    if (y !== null && y !== undefined && Number.isFinite(y)) points.push({ x: step.step, y });
  }
  return points;
};

/**
 * One measure of a step as a line. `colour` is an index of the palette, the same for one thing in
 * every chart of a page.
 */
export const line = (
  steps: Steps,
  name: string,
  colour: number,
  of: (step: TrainStep) => number | null | undefined,
): Series => {
  const points = pointsOf(steps, of);
  // What is not measured at every step is marked where it is.
  const sparse = points.length > 0 && points.length * 2 <= steps.length;
  return { id: name, name, colour, points, ...(sparse && { sparse }) };
};

/**
 * Scores of the held-out questions; they are measured before the first step and every few steps, so their
 * points are marked.
 */
export const heldOut = (
  steps: Steps,
  name: string,
  colour: number,
  of: (score: HeldOutScore) => number | null | undefined,
): Series => ({
  id: name,
  name,
  colour,
  points: heldOutScores(steps).flatMap(({ step, score }) => {
    const y = of(score);
    return y === null || y === undefined || !Number.isFinite(y) ? [] : [{ x: step, y }];
  }),
  sparse: true,
});

/** Names that occur in any step, in the order of first appearance. */
export const namesOf = (
  steps: Steps,
  of: (step: TrainStep) => Record<string, unknown> | null | undefined,
): string[] => {
  const names = new Set<string>();
  for (const step of steps) for (const name in of(step)) names.add(name);
  return [...names];
};

/** What an empty chart promises. */
export const FIRST_SCORE = 'Shows with the first held-out score.';
export const FIRST_STEP = 'Shows after the first step.';

/**
 * A chart without points is kept: its `empty` says when there will be some, or why there never are.
 */
export const spec = (
  id: string,
  title: string,
  note: string,
  unit: ChartSpec['unit'],
  series: readonly Series[],
  rest: Partial<Pick<ChartSpec, 'kind' | 'log' | 'include' | 'lines' | 'empty'>> = {},
): ChartSpec => ({
  id,
  title,
  note,
  unit,
  kind: rest.kind ?? 'lines',
  series: series.filter(({ points }) => points.length > 0),
  empty: rest.empty ?? FIRST_STEP,
  log: rest.log,
  include: rest.include,
  lines: rest.lines,
});

/** Trainers that a run is tagged with where it came back from one. */
const TRAINERS = ['TRL', 'verl'];

/** What is known of a run beside its steps and settings. */
export type ChartedRun = Pick<RunRecord, 'status' | 'importedStep' | 'tags'>;

/** Where steps are there and none has the figure, a promise that it comes with the first step is none. */
export const unreported = (steps: Steps, run?: ChartedRun): ((chart: ChartSpec) => ChartSpec) => {
  const trainer = run?.importedStep ? run.tags.find((tag) => TRAINERS.includes(tag)) : undefined;
  const empty = trainer
    ? `The steps of this run do not report it: ${trainer} made them.`
    : 'The steps of this run do not report it.';
  // Of steps on stored trajectories alone, those with rollouts may still come.
  const waits = run?.status !== 'finished' && withRollouts(steps).length === 0;
  return (chart) => {
    const promised =
      chart.empty === FIRST_STEP || (chart.empty === FIRST_SCORE && run?.status === 'finished');
    return steps.length > 0 && chart.series.length === 0 && promised && !waits
      ? { ...chart, empty }
      : chart;
  };
};
