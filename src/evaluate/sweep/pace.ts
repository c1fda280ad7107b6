import type { TrainStep } from '../../records/training.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** How long a sweep still takes, by what its runs took so far. */

type RunSizeSettings = Pick<TrainSettings, 'steps' | 'questions' | 'groupSize' | 'heldOut'>;

/** Rollouts of some steps, held-out ones among them. */
const rolloutsIn = ({ questions, groupSize, heldOut }: RunSizeSettings, steps: number): number =>
  steps * questions * groupSize + Math.floor(steps / heldOut.every) * heldOut.questions;

/** Rollouts of a whole run: it is scored before the first step and after the last as well. */
const rolloutsOf = (settings: RunSizeSettings): number => {
  const { steps, heldOut } = settings;
  const last = steps % heldOut.every === 0 ? 0 : 1;
  return rolloutsIn(settings, steps) + (1 + last) * heldOut.questions;
};

export interface SweepRun {
  settings: RunSizeSettings;
  /** Made so far. */
  steps: readonly Pick<TrainStep, 'seconds'>[];
  /** Waits to be begun, trains, or has ended in some way. */
  state: 'waits' | 'trains' | 'over';
  /** Of the one that trains, where it is known. */
  etaSeconds: number | null;
}

/** Seconds to the end of all of them, by seconds per rollout; null before a step was made. */
export function sweepSecondsLeft(runs: readonly SweepRun[]): number | null {
  let [seconds, rollouts] = [0, 0];
  for (const { steps, settings } of runs) {
    const timed = steps.flatMap(({ seconds: { total } }) => total ?? []);
    seconds += timed.reduce((sum, one) => sum + one, 0);
    rollouts += rolloutsIn(settings, timed.length);
  }
  if (rollouts === 0) return null;
  const rate = seconds / rollouts;
  return runs.reduce((left, { state, settings, steps, etaSeconds }) => {
    if (state === 'over') return left;
    const whole = rate * (rolloutsOf(settings) - rolloutsIn(settings, steps.length));
    return left + (state === 'trains' && etaSeconds !== null ? etaSeconds : Math.max(0, whole));
  }, 0);
}
