import type { Gates, TrainSettings } from '../recipes/parts/training.ts';

/**
 * Learning rate of update `step` (from 1) of `steps`: rises linearly over the warm-up, then stays or
 * falls to 0 along half a cosine.
 */
export function learningRateAt(
  optimizer: Pick<TrainSettings['optimizer'], 'learningRate' | 'schedule' | 'warmUpSteps'>,
  step: number,
  steps: number,
): number {
  const { learningRate, schedule, warmUpSteps } = optimizer;
  if (step <= warmUpSteps) return (learningRate * step) / warmUpSteps;
  if (schedule === 'constant') return learningRate;
  const share = Math.min(1, (step - warmUpSteps) / Math.max(1, steps - warmUpSteps));
  return (learningRate * (1 + Math.cos(Math.PI * share))) / 2;
}

/** Stage (from 0) of step `step` (from 1): each takes its steps, the last what is left. */
export function stageAt(stages: TrainSettings['stages'], step: number): number {
  let end = 0;
  for (const [i, stage] of stages.entries()) {
    end += stage.steps;
    if (step <= end) return i;
  }
  return stages.length - 1;
}

/** Learning rates of the gates of a system, by id (`defineGates`). */
export const gateRates = new Map<string, (gates: Gates) => { weights: number; lambda: number }>();
