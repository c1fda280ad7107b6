import { learningRateAt } from '../learn/schedule.ts';
import type { TrainStep } from '../records/training.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';

/**
 * Whether a run's learning rate was changed while it trained. Its settings keep the rate that it began with; what was
 * applied is in its steps.
 */

export interface RateChange {
  /** The first step with the new rate. */
  step: number;
  /** Before the schedule, as the settings have it. */
  from: number;
  to: number;
}

/** Rates are stored as they were computed; only their division by the schedule rounds. */
const SAME = 1e-6;

/** Where the schedule ends in 0, the factor is unknown. */
const LEAST = 1e-9;

/** More changes than anyone makes by hand: the steps follow another schedule than that of the settings. */
export const MOST_CHANGES = 3;

/** Changes in the order of the steps; a run that continues to more steps than its cosine was made for has many. */
export function rateChanges(
  { optimizer, steps: last }: Pick<TrainSettings, 'optimizer' | 'steps'>,
  steps: readonly Pick<TrainStep, 'step' | 'learningRate'>[],
): RateChange[] {
  const changes: RateChange[] = [];
  let from = optimizer.learningRate;
  for (const { step, learningRate } of steps) {
    const share = learningRateAt({ ...optimizer, learningRate: 1 }, step, last);
    if (learningRate === null || share < LEAST) continue;
    const exact = learningRate / share;
    if (Math.abs(exact - from) <= SAME * Math.max(exact, from)) continue;
    const to = Number(exact.toPrecision(6));
    changes.push({ step, from, to });
    from = to;
  }
  return changes;
}
