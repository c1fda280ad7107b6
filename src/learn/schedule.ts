import type { TrainSettings } from '../recipes/parts/training.ts';

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
