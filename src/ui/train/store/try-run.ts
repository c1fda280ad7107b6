import type { TrainSettings } from '../../../recipes/parts/training.ts';

/** Steps of a run that only tries. */
export const TRY_STEPS = 10;

/** The same run, short, with a score often enough that it shows what changed. */
export const toTry = (settings: TrainSettings): TrainSettings => ({
  ...settings,
  steps: TRY_STEPS,
  heldOut: { ...settings.heldOut, every: Math.min(settings.heldOut.every, TRY_STEPS / 2) },
});

export const tryName = ({ preset }: TrainSettings): string =>
  `${preset}, ${TRY_STEPS} steps to try`;
