import type { TrainStep } from '../../data/training.ts';
import { MICRO_TOKENS } from '../../learn/rl/create-replica.ts';
import type { TrainSettings } from '../../learn/rl/settings.ts';
import type { PolicyConfig } from '../../policy/config.ts';
import { plannedBytes } from '../../policy/lora/wasm/memory.ts';
import { parameterCount } from '../../policy/weights.ts';
import type { RunRecord, TrainEstimate } from './messages.ts';

/** What a run will take, before it is started. Every figure is an estimate and says from what. */

/**
 * Seconds a rollout of the built-in policy on one core in Chromium, its share of the step included: 6.0 s
 * for 64 rollouts on two cores (`bench/train/iteration.ts`, steps 2 to 4).
 */
const REFERENCE = { secondsPerRollout: 0.19, parameters: 1.05e6 };

/** Slots times capacity of one engine's cache, and its copies: it grows by being copied, forks keep one. */
const CACHE_COPIES = 3;
const CACHE_CONTEXT = 512;

const rolloutsOf = ({ questions, groupSize, dynamicSampling }: TrainSettings): number =>
  questions * groupSize * (dynamicSampling.on ? dynamicSampling.maxBatches : 1);

/** Bytes of samplers and replicas at their peak. */
export function peakBytes(config: PolicyConfig, settings: TrainSettings, engines: number): number {
  const limits = {
    maxTokens: Math.max(MICRO_TOKENS, config.maxPositions),
    maxLength: config.maxPositions,
  };
  const trainer = plannedBytes(config, settings.adapter, limits);
  const slots = Math.min(64, Math.ceil(rolloutsOf(settings) / engines));
  const context = Math.min(CACHE_CONTEXT, config.maxPositions);
  const cache = slots * context * config.layers * config.kvHeads * config.headDim * 2 * 4;
  const weights = 4 * parameterCount(config);
  return engines * (trainer + CACHE_COPIES * cache + 2 * weights);
}

/** Mean seconds of the last steps of earlier runs with the same recipe on the same device. */
function measured(
  settings: TrainSettings,
  past: readonly { run: RunRecord; steps: readonly TrainStep[] }[],
): TrainEstimate['secondsPerStep'] | null {
  const alike = past.filter(({ run, steps }) => {
    return run.settings.recipe === settings.recipe && steps.length > 0;
  });
  const last = alike.at(0);
  if (!last) return null;
  const recent = last.steps.slice(-10);
  const seconds = recent.reduce((sum, step) => sum + step.seconds.total, 0);
  const rollouts = recent.reduce((sum, step) => sum + step.rollouts, 0);
  return (seconds / rollouts) * rolloutsOf(settings);
}

/** @param past earlier runs of this device, newest first */
export function estimate(
  settings: TrainSettings,
  config: PolicyConfig,
  engines: number,
  past: readonly { run: RunRecord; steps: readonly TrainStep[] }[],
): TrainEstimate {
  const bytes = peakBytes(config, settings, engines);
  const known = measured(settings, past);
  if (known !== null)
    return { secondsPerStep: known, peakBytes: bytes, basis: 'from your last run of this recipe' };
  const size = parameterCount(config) / REFERENCE.parameters;
  const seconds = (rolloutsOf(settings) * REFERENCE.secondsPerRollout * size) / engines;
  return {
    secondsPerStep: seconds,
    peakBytes: bytes,
    basis: `from another machine, ${REFERENCE.secondsPerRollout} s a rollout and core; your own time shows after the first step`,
  };
}
