import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import type { ChartSpec } from '../../kit/charts/series.ts';
import { FIRST_SCORE, FIRST_STEP, type Steps, withRollouts } from './chart-parts.ts';

/** What an empty chart says once there are steps. */

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
