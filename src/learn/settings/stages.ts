import type { TrainSettings } from '../../recipes/parts/training.ts';

/** Stage (from 0) of step `step` (from 1): each takes its steps, the last what is left. */
export function stageAt(stages: TrainSettings['stages'], step: number): number {
  let end = 0;
  for (const [i, stage] of stages.entries()) {
    end += stage.steps;
    if (step <= end) return i;
  }
  return stages.length - 1;
}
