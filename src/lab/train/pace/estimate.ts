import type { MadeStep, TrainStep } from '../../../records/training.ts';
import { countOwn } from '../../../learn/trajectories/count-own.ts';
import { DEFAULT_WARM_UP } from '../../../learn/rl/demonstrations.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { RunRecord } from '../../contract/records/runs.ts';
import type { TrainTime } from '../../contract/training.ts';
import type { Probe } from '../../../learn/run/probe-shape.ts';
import { meanStepSeconds, warmUpSeconds, wavesSeconds } from '../../../learn/run/predict.ts';
import { median, sum } from '../../../base/statistics.ts';
import { paceOf, type StepPace } from './step-pace.ts';
import { makesRollouts, workOfStep, workOfSteps } from './step-work.ts';

/** How long a run will take, before it is started, by what this device measured; nothing where it measured nothing. */

const rolloutsOf = ({ questions, groupSize, dynamicSampling }: TrainSettings): number =>
  questions * groupSize * (dynamicSampling.on ? dynamicSampling.maxBatches : 1);

/** Rollouts that are made before the first step. */
function rolloutsBefore(settings: TrainSettings): number {
  const { warmUp, curriculum, heldOut } = settings;
  const own = warmUp?.from === 'own' ? (warmUp.rollouts ?? DEFAULT_WARM_UP.rollouts) : 0;
  const scored =
    curriculum.kind === 'difficulty' ? curriculum.pool * curriculum.scoringRollouts : 0;
  return own + scored + heldOut.questions + countOwn(settings, Infinity).rollouts;
}

/** They take what a step's rollouts take, updates included: rather too much than too little. */
const secondsBefore = (settings: TrainSettings, secondsPerRollout: number): number =>
  rolloutsBefore(settings) * secondsPerRollout;

/** Rollouts at the same time, where no step makes any those of the held-out questions. */
export const rolloutsAtOnce = (settings: TrainSettings): number =>
  makesRollouts(settings) ? rolloutsOf(settings) : Math.max(1, settings.heldOut.questions);

/** Steps of a run that this browser made. */
export const measuredHere = (
  { importedStep = 0 }: Pick<RunRecord, 'importedStep'>,
  steps: readonly TrainStep[],
): MadeStep[] =>
  steps.filter((one): one is MadeStep => one.step > importedStep && one.seconds.total !== null);

const isSame = (settings: TrainSettings, { settings: other }: Pick<RunRecord, 'settings'>) => ({
  rollout: other.recipe === settings.recipe,
  training: other.recipe === settings.recipe && other.preset === settings.preset,
});

/**
 * The run to estimate by: the last one of the same training recipe, else one whose rollouts are made
 * alike; null where this browser made steps of neither.
 * @param past runs of one device and policy, newest first
 */
export function nearestRun(settings: TrainSettings, past: readonly RunRecord[]): RunRecord | null {
  const made = past.filter(({ step, importedStep = 0 }) => step > importedStep);
  return (
    made.find((run) => isSame(settings, run).training) ??
    made.find((run) => isSame(settings, run).rollout) ??
    null
  );
}

/** Seconds of one rollout and of a step beside its rollouts, by what another run measured. */
function measured(
  settings: TrainSettings,
  { run, steps }: { run: RunRecord; steps: readonly MadeStep[] },
): { rollout: number; step: number } | null {
  const pace = paceOf(
    steps.map((step) => {
      const { heldOut, total } = step.seconds;
      const work = workOfStep(run.settings, step.step, Math.max(1, step.rollouts));
      return { ...step, seconds: { ...step.seconds, total: (total - heldOut) / work + heldOut } };
    }),
  );
  if (!pace) return null;
  const { questions, every } = settings.heldOut;
  const drew = settings.dynamicSampling.on && run.settings.dynamicSampling.on;
  const batches = drew ? median(steps.map(({ generationBatches }) => generationBatches)) : null;
  const rollouts =
    batches === null ? rolloutsOf(settings) : settings.questions * settings.groupSize * batches;
  return {
    rollout: pace.step,
    step:
      pace.step * workOfSteps(settings, rollouts) +
      (questions * pace.heldOut) / every +
      pace.checkpoint / settings.checkpointEvery,
  };
}

/** By a probe of the same model and recipe. */
export function timeByProbe(settings: TrainSettings, probe: Probe): TrainTime {
  const { heldOut } = settings;
  const step = meanStepSeconds(settings, probe);
  const scored = heldOut.questions;
  // Held-out questions are one rollout each, own trajectories and scorings of questions some.
  const others = rolloutsBefore(settings) - scored;
  return {
    secondsPerStep: step.rollouts + step.update + step.heldOut / heldOut.every,
    secondsBefore:
      wavesSeconds(probe, others, 1) +
      wavesSeconds(probe, scored, 1) +
      warmUpSeconds(settings, probe),
    basis: `measured on this device with ${rolloutsIn(probe)} rollouts, ${new Date(probe.at).toLocaleString('en')}`,
  };
}

/** What the steps to come are expected to take, before the run has made one. */
export function paceByProbe(settings: TrainSettings, probe: Probe): StepPace {
  const { rollouts, update, heldOut } = meanStepSeconds(settings, probe);
  const { questions } = settings.heldOut;
  return {
    step: rollouts + update,
    rollouts,
    heldOut: questions === 0 ? 0 : heldOut / questions,
    checkpoint: 0,
  };
}

const rolloutsIn = ({ waves }: Probe): number => sum(waves.map(({ rollouts }) => rollouts.length));

interface PastRun {
  run: RunRecord;
  steps: readonly MadeStep[];
}

/** By an earlier run; null where its steps tell nothing, as those that made no update. */
function timeByRun(settings: TrainSettings, past: PastRun): TrainTime | null {
  const updated = past.steps.filter(({ skipped }) => skipped === undefined);
  const known = measured(settings, { run: past.run, steps: updated });
  if (known === null) return null;
  return {
    secondsPerStep: known.step,
    secondsBefore: secondsBefore(settings, known.rollout),
    basis: isSame(settings, past.run).training
      ? `from your last run of this training recipe, “${past.run.name}”`
      : `from your run “${past.run.name}”: another training recipe, the same rollout recipe`,
  };
}

/**
 * A run of the same training recipe says most, then a probe, then a run whose rollouts are made alike.
 * @param past an earlier run of this device, of `nearestRun`, with its steps that were made here
 * @param probe of the same model and rollout recipe on this device
 * @returns null where this device has measured nothing like it
 */
export function expectedTime(
  settings: TrainSettings,
  past: PastRun | null,
  probe: Probe | null,
): TrainTime | null {
  const byRun = past && timeByRun(settings, past);
  if (past && byRun && (isSame(settings, past.run).training || !probe)) return byRun;
  return probe && timeByProbe(settings, probe);
}
