import type { MadeStep, TrainStep } from '../../../records/training.ts';
import { countOwn } from '../../../learn/trajectories/count-own.ts';
import { DEFAULT_WARM_UP } from '../../../learn/rl/demonstrations.ts';
import { MICRO_TOKENS } from '../../../learn/replicas/create-replica.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { PolicyConfig } from '../../../policy/checkpoint/config.ts';
import { planFit } from '../../../policy/open/fit.ts';
import { parameterCount } from '../../../policy/checkpoint/weights.ts';
import type { RunRecord } from '../../contract/records/runs.ts';
import type { TrainEstimate } from '../../contract/training.ts';
import { median } from '../../../base/statistics.ts';
import { paceOf } from './step-pace.ts';
import { makesRollouts, workOfStep, workOfSteps } from './step-work.ts';

/** What a run will take, before it is started. Every figure is an estimate and says from what. */

/**
 * Seconds a rollout of the built-in policy on one core in Chromium, its share of the step included: 6.0 s
 * for 64 rollouts on two cores (`bench/train/iteration.ts`, steps 2 to 4).
 */
const REFERENCE = { secondsPerRollout: 0.19, parameters: 1.05e6 };

/** Tokens that most contexts of a rollout stay below. */
const CONTEXT = 512;

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
const atOnce = (settings: TrainSettings): number =>
  makesRollouts(settings) ? rolloutsOf(settings) : Math.max(1, settings.heldOut.questions);

/** Bytes of samplers and replicas, each pair over one copy of the weights. */
function peakBytes(config: PolicyConfig, settings: TrainSettings, engines: number): number {
  const maxLength = config.maxPositions;
  const { totalBytes } = planFit({
    config,
    type: 'f32',
    keys: 'f32',
    slots: Math.min(64, Math.ceil(atOnce(settings) / engines)),
    context: Math.min(CONTEXT, maxLength),
    train: {
      adapter: settings.adapter,
      limits: { maxTokens: Math.max(MICRO_TOKENS, maxLength), maxLength },
    },
    limits: { device: 'wasm', maxBinding: Infinity, maxBuffer: Infinity, memory: Infinity },
  });
  return engines * totalBytes;
}

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

/** @param past an earlier run of this device, of `nearestRun`, with its steps that were made here */
export function estimate(
  settings: TrainSettings,
  config: PolicyConfig,
  engines: number,
  past: { run: RunRecord; steps: readonly MadeStep[] } | null,
): TrainEstimate {
  const bytes = peakBytes(config, settings, engines);
  const known = past && measured(settings, past);
  if (past && known !== null)
    return {
      secondsPerStep: known.step,
      secondsBefore: secondsBefore(settings, known.rollout),
      peakBytes: bytes,
      basis: isSame(settings, past.run).training
        ? `from your last run of this training recipe, “${past.run.name}”`
        : `from your run “${past.run.name}”: another training recipe, the same rollout recipe`,
    };
  const size = parameterCount(config) / REFERENCE.parameters;
  const rollout = (REFERENCE.secondsPerRollout * size) / engines;
  return {
    secondsPerStep: workOfSteps(settings, rolloutsOf(settings)) * rollout,
    secondsBefore: secondsBefore(settings, rollout),
    peakBytes: bytes,
    basis: `from another machine, ${REFERENCE.secondsPerRollout} s a rollout and core; your own time shows after the first step`,
  };
}
