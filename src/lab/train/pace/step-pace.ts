import type { MadeStep } from '../../../records/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { mean, median } from '../../../base/statistics.ts';
import { secondsWith } from './learning-to-search.ts';
import { storedTrajectories, UPDATE_SECONDS } from './step-work.ts';

/** How long steps take here, and from that how long a run still takes. */

/** Seconds that were measured on one device. */
export interface StepPace {
  /** A step without held-out score and snapshot. */
  step: number;
  /** Of it, the rollouts. */
  rollouts: number;
  /** A held-out question. */
  heldOut: number;
  /** A snapshot, where one is made; 0 before the first. */
  checkpoint: number;
}

/** The latest steps that count: an odd number, of which one in the middle was measured. */
const RECENT = 9;

/** The first of few steps is left out where it took this many times what the others take: it compiled kernels. */
const COMPILED = 1.25;

/**
 * The median, or the mean where that is less; of few values without the first, where that is far above the others.
 * After three steps of the 60 trainings that it was chosen and judged by, the estimates are 5 % too short in the middle; 92 %
 * are within a quarter of what followed where a step takes as long as its searches, 65 % by the clock of a machine that
 * had other work too. With the slowest of three always left out it was 11 % too short. Of 24 later trainings, nearly all
 * of the same questions in the same order, 96 % are within a quarter, and too short by 17 % in the middle
 * (test/lab/train/time-to-go.test.ts).
 */
const typical = (values: readonly number[]): number | null => {
  const [first, ...others] = values;
  const rest = median(others);
  const compiled =
    values.length <= RECENT && others.length > 1 && rest !== null && (first ?? 0) > COMPILED * rest;
  const counted = compiled ? others : values;
  const middle = median(counted);
  return middle === null ? null : Math.min(middle, mean(counted));
};

/**
 * Typical values over the last `RECENT` steps, so that a step in which kernels were compiled or the browser
 * froze the tab does not count for all that are to come. Held-out questions and snapshots, which only
 * some steps have, are distinguished; before the first score a question is taken to cost a rollout.
 * @param steps of one device, in order
 * @param learning searches per rollout that the policy is learning to make (`searchesToCome`); until `RECENT` steps were
 * made, what they took is taken to grow with them
 * @returns null without a step
 */
export function paceOf(
  steps: readonly MadeStep[],
  learning: number | null = null,
): StepPace | null {
  const recent = steps.slice(-RECENT);
  const step = typical(recent.map(({ seconds }) => seconds.total - seconds.heldOut));
  if (step === null) return null;
  const grown =
    learning === null || steps.length > RECENT
      ? step
      : secondsWith(
          learning,
          recent.map(({ seconds, searches }) => ({
            seconds: seconds.total - seconds.heldOut,
            searches,
          })),
        );
  // The latest scores, though older steps than the recent ones may have them.
  const scores = steps.flatMap(({ heldOutAtStart, heldOut, seconds }) => [
    ...(heldOutAtStart?.seconds !== undefined && heldOutAtStart.n > 0
      ? [
          {
            seconds: heldOutAtStart.seconds / heldOutAtStart.n,
            searches: heldOutAtStart.searches,
          },
        ]
      : []),
    ...(heldOut && heldOut.n > 0
      ? [{ seconds: seconds.heldOut / heldOut.n, searches: heldOut.searches }]
      : []),
  ]);
  const scored = scores.map((score) =>
    learning === null ? score.seconds : secondsWith(learning, [score]),
  );
  // Steps that follow no snapshot have 0 there.
  const stored = steps.flatMap(({ seconds }) =>
    seconds.checkpoint > 0 ? [seconds.checkpoint] : [],
  );
  const rollout = recent.map(({ seconds, rollouts }) => seconds.rollout / Math.max(1, rollouts));
  const rollouts = median(recent.map(({ seconds }) => seconds.rollout)) ?? 0;
  return {
    step: grown,
    rollouts: step > 0 ? (rollouts * grown) / step : rollouts,
    heldOut: median(scored.slice(-RECENT)) ?? median(rollout) ?? 0,
    checkpoint: median(stored.slice(-RECENT)) ?? 0,
  };
}

/** How many of the steps after `done` are multiples of `every`. */
const multiples = (every: number, done: number, steps: number): number =>
  Math.floor(steps / every) - Math.floor(done / every);

/** Seconds to the end of a run after `done` of its steps. */
export function secondsLeft(
  pace: Omit<StepPace, 'rollouts'>,
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

/** Whether the held-out questions are scored after a step. */
const isScored = ({ steps, heldOut }: Scored, step: number): boolean =>
  heldOut.questions > 0 && (step % heldOut.every === 0 || step === steps);

type Scored = Pick<TrainSettings, 'steps' | 'heldOut'>;

/** Seconds of one step with its held-out score, without its snapshot. */
export const secondsOfStep = (pace: StepPace, settings: Scored, step: number): number =>
  pace.step + (isScored(settings, step) ? settings.heldOut.questions * pace.heldOut : 0);

/** Until a step was measured: rollouts take most of it, and a held-out question what a rollout takes. */
const unmeasured = (settings: Sampled, step: number) => {
  const stored = storedTrajectories(settings, step);
  const rollouts = stored === null ? settings.questions * settings.groupSize : 0;
  const learned = UPDATE_SECONDS * (stored ?? rollouts);
  return { step: rollouts + learned, rollouts, heldOut: 1, checkpoint: 0 };
};

type Sampled = Pick<TrainSettings, 'questions' | 'groupSize' | 'stages'>;

/**
 * How much of a step is done by the time that its phases take: rollouts, update, held-out questions.
 * @param at its phase, once its rollouts have begun
 * @param pace null before the first step
 */
export function shareOfStep(
  at: { phase: string; step: number; done: number; total: number },
  settings: Scored & Sampled,
  pace: StepPace | null,
): number {
  const known = pace ?? unmeasured(settings, at.step);
  const whole = secondsOfStep(known, settings, at.step);
  if (whole <= 0) return 0;
  const part = at.done / Math.max(1, at.total);
  const scored = whole - known.step;
  switch (at.phase) {
    case 'rollouts':
      return (part * known.rollouts) / whole;
    case 'update':
      return (known.rollouts + part * (known.step - known.rollouts)) / whole;
    case 'held-out':
      return (known.step + part * scored) / whole;
    default:
      return 1;
  }
}
