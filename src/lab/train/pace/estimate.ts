import type { MadeStep, TrainStep } from '../../../records/training.ts';
import { countOwn } from '../../../learn/trajectories/count-own.ts';
import { warmStartKind, START } from '../../../learn/rl/warm-start.ts';
import { scoringOf } from '../../../recipes/parts/curriculum.ts';
import { evaluates, heldOutCount, warmUpLength } from '../../../learn/rl/warm-up-data.ts';
import { type TrainSettings, type WarmUpSettings } from '../../../recipes/parts/training.ts';
import type { RunRecord } from '../../contract/records/runs.ts';
import type { GivenDemonstrations, TrainTime } from '../../contract/training.ts';
import type { Probe } from '../../../learn/run/probe-shape.ts';
import {
  type Foreseen,
  type StepSeconds,
  meanStepSeconds,
  trainSeconds,
  wavesSeconds,
} from '../../../learn/run/predict.ts';
import { median, sum } from '../../../base/statistics.ts';
import { paceOf, type StepPace } from './step-pace.ts';
import { makesRollouts, workOfStep, workOfSteps } from './step-work.ts';

/** How long a run will take, before it is started, by what this device measured; nothing where it measured nothing. */

const rolloutsOf = ({ questions, groupSize, dynamicSampling }: TrainSettings): number =>
  questions * groupSize * (dynamicSampling?.maxBatches ?? 1);

/** What is done before the first step. */
interface WorkBefore {
  /** Rollouts, without the held-out questions. */
  rollouts: number;
  /** Trajectories that supervised updates take, over all updates, and those of one update. */
  trained: number;
  batch: number;
  /** Context tokens of each of them; null: as many as a rollout has. */
  tokens: number | null;
  /** Held-out demonstrations that are scored, over all evaluations. */
  scored: number;
}

/** A handicapped start is measured, and trained, until its share is right: half as often as at most. */
function workOfStart(settings: TrainSettings): WorkBefore {
  const kind = warmStartKind(settings);
  const nothing = { rollouts: 0, trained: 0, batch: 1, tokens: null, scored: 0 };
  if (!kind) return nothing;
  const updates = kind.most / 2;
  const rounds = 1 + updates / kind.atOnce + START.tries / 2;
  return {
    ...nothing,
    rollouts: START.questions + rounds * START.measured,
    trained: updates * START.batch,
    batch: START.batch,
  };
}

/** The cold start, without rollouts that it learns from: to its last update, though its format rate may end it earlier. */
function workOfColdStart(
  warmUp: WarmUpSettings,
  given: GivenDemonstrations | null,
): Omit<WorkBefore, 'tokens'> {
  const count = given?.count ?? 0;
  const heldOut = heldOutCount(warmUp, count);
  const { updates, every } = warmUpLength(warmUp, count - heldOut);
  const last = updates % every === 0 ? 0 : 1;
  const evaluations = evaluates(warmUp) ? 1 + Math.floor(updates / every) + last : 0;
  return {
    rollouts: evaluations * (warmUp.questions ?? 0),
    trained: updates * warmUp.batch,
    batch: warmUp.batch,
    scored: evaluations * heldOut,
  };
}

/** Without the handicapped start. */
function workBefore(settings: TrainSettings, given: GivenDemonstrations | null): WorkBefore {
  const { warmUp, curriculum, steps } = settings;
  const own = warmUp?.own?.rollouts ?? 0;
  const coldStart = warmUp
    ? workOfColdStart(warmUp, given)
    : { rollouts: 0, trained: 0, batch: 1, scored: 0 };
  const scoring = steps > 0 ? scoringOf(curriculum) : null;
  const scored = scoring ? scoring.pool * scoring.rollouts : 0;
  return {
    ...coldStart,
    rollouts: own + scored + countOwn(settings, Infinity).rollouts + coldStart.rollouts,
    tokens: warmUp?.own ? null : (given?.tokens ?? null),
  };
}

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

/** Seconds of a rollout, of learning from one, of a held-out question, and of a step, by another run. */
function measured(
  settings: TrainSettings,
  { run, steps }: { run: RunRecord; steps: readonly MadeStep[] },
): { rollout: number; learning: number; heldOut: number; step: number } | null {
  const pace = paceOf(
    steps.map((step) => {
      const { heldOut, total } = step.seconds;
      const work = workOfStep(run.settings, step.step, Math.max(1, step.rollouts));
      return { ...step, seconds: { ...step.seconds, total: (total - heldOut) / work + heldOut } };
    }),
  );
  if (!pace) return null;
  const { questions, every } = settings.heldOut;
  const drew = settings.dynamicSampling && run.settings.dynamicSampling;
  const batches = drew ? median(steps.map(({ generationBatches }) => generationBatches)) : null;
  const rollouts =
    batches === null ? rolloutsOf(settings) : settings.questions * settings.groupSize * batches;
  const sampling = median(
    steps.map(({ seconds: { rollout, total, heldOut } }) => rollout / (total - heldOut)),
  );
  const rollout = pace.step * (sampling ?? 1);
  return {
    rollout,
    learning: pace.step - rollout,
    heldOut: pace.heldOut,
    step:
      pace.step * workOfSteps(settings, rollouts) +
      (questions * pace.heldOut) / every +
      pace.checkpoint / settings.checkpointEvery,
  };
}

/** A range is given where its ends are further apart. */
const WIDE = 1.25;

/** What the probe says of the steps: after a cold start, rollouts like its demonstrations. */
const foreseen = (
  { warmUp }: TrainSettings,
  probe: Probe,
  given: GivenDemonstrations | null,
): Foreseen => (warmUp && !warmUp.own && given ? { ...probe, imitates: given } : probe);

/** By a probe of the same model and recipe. */
export function timeByProbe(
  settings: TrainSettings,
  probe: Probe,
  given: GivenDemonstrations | null = null,
): TrainTime {
  const { heldOut } = settings;
  const later = foreseen(settings, probe, given);
  const step = meanStepSeconds(settings, later);
  const seconds = ({ rollouts, trained, batch, tokens, scored }: WorkBefore): number =>
    wavesSeconds(later, rollouts, 1) +
    trainSeconds(probe, trained, batch, tokens) +
    scored * (tokens ?? 0) * (probe.score ?? 0);
  const start = seconds(workOfStart(settings));
  const perStep = ({ rollouts, update, heldOut: scored }: StepSeconds): number =>
    rollouts + update + scored / heldOut.every;
  const low = perStep(meanStepSeconds(settings, later, 'low'));
  const high = perStep(meanStepSeconds(settings, later, 'high'));
  return {
    secondsPerStep: perStep(step),
    ...(high > WIDE * low && { range: [low, high] as const }),
    secondsBefore: start + seconds(workBefore(settings, given)) + step.heldOut,
    secondsOfStart: start,
    basis: `measured on this device with ${rolloutsIn(probe)} rollouts, ${new Date(probe.at).toLocaleString('en')}`,
  };
}

/** What a run is expected to take, before it has made a step. */
export interface ExpectedPace {
  pace: StepPace;
  /** Seconds before the first step. */
  before: number;
}

export function paceByProbe(
  settings: TrainSettings,
  probe: Probe,
  given: GivenDemonstrations | null = null,
): ExpectedPace {
  const { rollouts, update, heldOut } = meanStepSeconds(settings, foreseen(settings, probe, given));
  const { questions } = settings.heldOut;
  return {
    before: timeByProbe(settings, probe, given).secondsBefore,
    pace: {
      step: rollouts + update,
      rollouts,
      heldOut: questions === 0 ? 0 : heldOut / questions,
      checkpoint: 0,
    },
  };
}

/** A run of fewer steps is over before a measurement pays. */
const WORTH_STEPS = 10;

/** Whether a measurement takes little beside the run. */
export const isWorthMeasuring = (settings: TrainSettings): boolean =>
  settings.steps >= WORTH_STEPS && makesRollouts(settings);

const rolloutsIn = ({ waves }: Probe): number => sum(waves.map(({ rollouts }) => rollouts.length));

interface PastRun {
  run: RunRecord;
  steps: readonly MadeStep[];
}

/** By an earlier run; null where its steps tell nothing, as those that made no update. */
function timeByRun(
  settings: TrainSettings,
  past: PastRun,
  given: GivenDemonstrations | null,
): TrainTime | null {
  const updated = past.steps.filter(({ skipped }) => skipped === undefined);
  const known = measured(settings, { run: past.run, steps: updated });
  if (known === null) return null;
  const seconds = ({ rollouts, trained }: WorkBefore): number =>
    rollouts * known.rollout + trained * known.learning;
  const start = seconds(workOfStart(settings));
  return {
    secondsPerStep: known.step,
    secondsBefore:
      start + seconds(workBefore(settings, given)) + settings.heldOut.questions * known.heldOut,
    secondsOfStart: start,
    basis: isSame(settings, past.run).training
      ? `from your last run of this training recipe, “${past.run.name}”`
      : `from your run “${past.run.name}”: another training recipe, the same rollout recipe`,
  };
}

/**
 * A run of the same training recipe says most, then a probe, then a run whose rollouts are made alike.
 * @param past an earlier run of this device, of `nearestRun`, with its steps that were made here
 * @param probe of the same model and rollout recipe on this device
 * @param given demonstrations of a cold start
 * @returns null where this device has measured nothing like it
 */
export function expectedTime(
  settings: TrainSettings,
  past: PastRun | null,
  probe: Probe | null,
  given: GivenDemonstrations | null = null,
): TrainTime | null {
  const byRun = past && timeByRun(settings, past, given);
  if (past && byRun && (isSame(settings, past.run).training || !probe)) return byRun;
  return probe && timeByProbe(settings, probe, given);
}
