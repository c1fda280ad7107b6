import type { TrainTime } from '../../../lab/contract/training.ts';
import { declaredCurriculum, scoringOf } from '../../../recipes/parts/curriculum.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';

/** Steps of a run that only tries. */
export const TRY_STEPS = 10;

/** What such a run is to take. */
const TRY_SECONDS = 120;

/** Fewer questions per step often leave no group whose rewards vary, and nothing to learn from. */
const FEWEST_QUESTIONS = 2;

/** Before this device was measured. */
const UNMEASURED_QUESTIONS = 4;

/** What is made before the first step may take this much of it. */
const MOST_BEFORE = TRY_SECONDS / 2;
/** Below these, what is scored or learned from says too little to be worth its time. */
const FEWEST_SCORED = 16;
const FEWEST_DEMONSTRATIONS = 64;
const FEWEST_SCORINGS = 2;

type Known = Pick<TrainTime, 'secondsPerStep' | 'secondsBefore' | 'secondsOfStart'>;

/** A share of a count, not below `fewest` and never more than there was. */
const scaled = (count: number, share: number, fewest: number): number =>
  Math.min(count, Math.max(fewest, Math.floor(count * share)));

/** Fewer rollouts for each question that is scored. */
const shortScoring = ({ system }: TrainSettings['curriculum'], share: number) => {
  const scoring = scoringOf({ system });
  if (!system || !scoring) return system;
  const rollouts = scaled(scoring.rollouts, share, FEWEST_SCORINGS);
  return declaredCurriculum({ system })?.scoredBy(system, rollouts) ?? system;
};

/** Fewer held-out questions, own trajectories and scorings of a question, where these alone would take too long. */
const shortStart = (settings: TrainSettings, share: number): TrainSettings => {
  const { heldOut, warmUp, curriculum } = settings;
  return {
    ...settings,
    heldOut: { ...heldOut, questions: scaled(heldOut.questions, share, FEWEST_SCORED) },
    warmUp: warmUp?.own
      ? {
          ...warmUp,
          own: { rollouts: scaled(warmUp.own.rollouts, share, FEWEST_DEMONSTRATIONS) },
        }
      : warmUp,
    curriculum: curriculum.system
      ? { ...curriculum, system: shortScoring(curriculum, share) }
      : curriculum,
  };
};

/**
 * The same run, short: ten steps, with a score often enough that it shows what changed, of as many questions
 * as about two minutes allow.
 * @param known what the whole run is estimated to take; null: not measured here, and it is as small as a try can be
 */
export const toTry = (settings: TrainSettings, known: Known | null): TrainSettings => {
  const { heldOut } = settings;
  const short = {
    ...settings,
    steps: TRY_STEPS,
    heldOut: { ...heldOut, every: Math.min(heldOut.every, TRY_STEPS / 2) },
  };
  if (!known)
    return {
      ...shortStart(short, 0),
      questions: Math.min(settings.questions, UNMEASURED_QUESTIONS),
    };
  const { secondsBefore, secondsOfStart } = known;
  const before = Math.min(secondsBefore, Math.max(MOST_BEFORE, secondsOfStart));
  // The rest of the time before step 1 grows with these counts.
  const start =
    before < secondsBefore ? (before - secondsOfStart) / (secondsBefore - secondsOfStart) : 1;
  const steps = Math.max(0, TRY_SECONDS - before) / (TRY_STEPS * known.secondsPerStep);
  return {
    ...shortStart(short, start),
    questions: scaled(settings.questions, steps, FEWEST_QUESTIONS),
  };
};

/** A run that tries is named so, or it would be taken for the recipe’s own in the list. */
export const tryName = ({ preset }: TrainSettings): string =>
  `${preset}, ${TRY_STEPS} steps to try`;
