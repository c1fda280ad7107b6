import type { MadeStep } from '../../records/training.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { median } from '../../base/statistics.ts';

/** How long steps take here, and from that how long a run still takes. */

/** Seconds that were measured on one device. */
export interface StepPace {
  /** A step without held-out score and snapshot. */
  step: number;
  /** A held-out question. */
  heldOut: number;
  /** A snapshot, where one is made; 0 before the first. */
  checkpoint: number;
}

/** The latest steps that count: an odd number, of which one in the middle was measured. */
const RECENT = 9;

/**
 * Medians over the last `RECENT` steps, so that a step in which kernels were compiled or the browser
 * froze the tab does not count for all that are to come. Held-out questions and snapshots, which only
 * some steps have, are told apart; before the first score a question is taken to cost a rollout.
 * @param steps of one device, in order
 * @returns null without a step
 */
export function paceOf(steps: readonly MadeStep[]): StepPace | null {
  const recent = steps.slice(-RECENT);
  const step = median(recent.map(({ seconds }) => seconds.total - seconds.heldOut));
  if (step === null) return null;
  // The latest scores, though older steps than the recent ones may have them.
  const scored = steps.flatMap(({ heldOut, seconds }) =>
    heldOut && heldOut.n > 0 ? [seconds.heldOut / heldOut.n] : [],
  );
  // Steps that follow no snapshot have 0 there.
  const stored = steps.flatMap(({ seconds }) =>
    seconds.checkpoint > 0 ? [seconds.checkpoint] : [],
  );
  const rollout = recent.map(({ seconds, rollouts }) => seconds.rollout / Math.max(1, rollouts));
  return {
    step,
    heldOut: median(scored.slice(-RECENT)) ?? median(rollout) ?? 0,
    checkpoint: median(stored.slice(-RECENT)) ?? 0,
  };
}

/** How many of the steps after `done` are multiples of `every`. */
const multiples = (every: number, done: number, steps: number): number =>
  Math.floor(steps / every) - Math.floor(done / every);

/** Seconds to the end of a run after `done` of its steps. */
export function secondsLeft(
  pace: StepPace,
  settings: Pick<TrainSettings, 'steps' | 'heldOut' | 'checkpointEvery'>,
  done: number,
): number {
  const { steps, heldOut, checkpointEvery } = settings;
  const left = Math.max(0, steps - done);
  // The last step is scored, and stored, whatever its number.
  const last = left > 0 ? 1 : 0;
  const scores = multiples(heldOut.every, done, steps) + (steps % heldOut.every === 0 ? 0 : last);
  const stored =
    multiples(checkpointEvery, done, steps) + (steps % checkpointEvery === 0 ? 0 : last);
  return left * pace.step + scores * heldOut.questions * pace.heldOut + stored * pace.checkpoint;
}
