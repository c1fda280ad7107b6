import { sum } from '../../base/statistics.ts';
import type { SkippedUpdate, TrainStep } from '../../records/training.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** What is said of steps that made no update, and of runs that made none. */

type Settings = Pick<TrainSettings, 'groupSize' | 'warmUp' | 'start'>;
type Measured = Pick<
  TrainStep,
  'step' | 'rollouts' | 'groups' | 'skipped' | 'em' | 'searches' | 'formatValid' | 'router'
>;

const count = (n: number, one: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : `${one}s`}`;

const numberWords = (value: number): string => String(Number(value.toFixed(3)));

/** What the rewards of skipped steps have in common. @param same of all rollouts, where they are equal */
const rewardWords = (
  { rollouts, groups }: Pick<Measured, 'rollouts' | 'groups'>,
  same: number | undefined,
): string =>
  same === undefined
    ? `in each of the ${count(groups, 'group')} all rewards were equal`
    : `all ${count(rollouts, 'reward')} were ${numberWords(same)}`;

const OTHERWISE: Record<Exclude<SkippedUpdate['why'], 'equal-rewards'>, string> = {
  'no-advantage': 'no trained token had an advantage',
  'no-trained-tokens': 'no token was left to train',
  'nothing-to-imitate': 'no rollout could be learned from',
};

const whyWords = (step: Pick<Measured, 'rollouts' | 'groups'>, { why, reward }: SkippedUpdate) =>
  why === 'equal-rewards' ? rewardWords(step, reward) : OTHERWISE[why];

/** "No update: all 8 rewards were 0"; null of a step that made one. */
export function skippedWords({
  rollouts,
  groups,
  skipped,
}: Pick<Measured, 'rollouts' | 'groups' | 'skipped'>): string | null {
  return skipped ? `No update: ${whyWords({ rollouts, groups }, skipped)}` : null;
}

/** A run in which no step had a gradient. */
export interface NothingLearned {
  /** "Nothing was learned: all 64 rewards were 0". */
  headline: string;
  why: string;
  /** What to change, most useful first. */
  advice: readonly string[];
  /** Whether an adapter came of a warm-up or a start before the first step. */
  before: boolean;
}

const COLD_START = 'Add a cold start (SFT on demonstrations) first.';
const EASIER = 'Use easier questions, with fewer hops.';
const SHAPED = 'Use a reward with partial credit, such as F1 instead of exact match.';
const LARGER = 'Take a larger model.';

/** A mean over rollouts; null where a step does not know it. */
function meanOf(steps: readonly Measured[], of: (step: Measured) => number | null): number | null {
  const all = sum(steps.map(({ rollouts }) => rollouts));
  if (all === 0 || steps.some((step) => of(step) === null)) return null;
  return sum(steps.map((step) => (of(step) ?? 0) * step.rollouts)) / all;
}

/** Why equal rewards teach nothing, and what to change, by what the rollouts were. */
function equalRewards(
  steps: readonly Measured[],
  settings: Settings,
  same: number | undefined,
): Pick<NothingLearned, 'why' | 'advice'> {
  const compared = 'An advantage is the difference from the other rollouts of a question';
  if (settings.groupSize === 1)
    return {
      why: `${compared}; with one rollout per question there are no others.`,
      advice: ['Set rollouts per question to 4 or more.'],
    };
  const [em, format, searches] = [
    meanOf(steps, (step) => step.em),
    meanOf(steps, ({ formatValid }) => formatValid),
    meanOf(steps, (step) => step.searches),
  ];
  const zero = `${compared}: where all are equal it is 0, and so is the gradient.`;
  const more = 'Use more rollouts per question, or a higher temperature, so that some differ.';
  if (em === 1)
    return {
      why: `Every answer was correct. ${zero}`,
      advice: ['Take harder questions.', 'Use a reward that also counts searches or length.'],
    };
  if (em === 0) {
    const faults = [
      ...(searches === 0 ? ['The model never searched.'] : []),
      ...(format === 0 ? ['No rollout kept to the format.'] : []),
    ];
    const said = faults.length > 0 ? faults.join(' ') : 'No answer was correct.';
    const start = faults.length > 0 ? [COLD_START, EASIER] : [EASIER, COLD_START];
    return { why: `${said} ${zero}`, advice: [...start, SHAPED, LARGER] };
  }
  return same === undefined
    ? {
        why: zero,
        advice: [more, 'Use questions that are answered sometimes, neither always nor never.'],
      }
    : {
        why: `Correct and wrong answers earned the same. ${zero}`,
        advice: ['Use a reward that distinguishes correct from wrong answers.'],
      };
}

const OTHER_ADVICE: Record<
  Exclude<SkippedUpdate['why'], 'equal-rewards'>,
  Pick<NothingLearned, 'why' | 'advice'>
> = {
  'no-advantage': {
    why: 'Rewards differed, but the settings give no trained token an advantage.',
    advice: ['Learn from all rollouts, not only from worse ones, and credit whole rollouts.'],
  },
  'no-trained-tokens': {
    why: 'Every rollout was masked or left out, because a limit ended it or its group has too many or too few right answers for dynamic sampling.',
    advice: [
      'Raise the token and search budgets, or also train on truncated rollouts.',
      'Let dynamic sampling keep more groups, or allow more batches.',
    ],
  },
  'nothing-to-imitate': {
    why: 'The stage imitates correct rollouts, or learns from pairs of a better and a worse one; there were none.',
    advice: [EASIER, COLD_START, LARGER],
  },
};

/**
 * What is said of a run whose steps all made no update; null where one made one, or a router learned.
 * @param steps those so far
 */
export function nothingLearned(
  steps: readonly Measured[],
  settings: Settings,
): NothingLearned | null {
  const skips = steps.map(({ skipped }) => skipped);
  const [first] = skips;
  if (!first || steps.some(({ router, skipped }) => router !== null || !skipped)) return null;
  const before = settings.warmUp !== null || (settings.start ?? 'searching') !== 'searching';
  const whole = {
    rollouts: sum(steps.map(({ rollouts }) => rollouts)),
    groups: sum(steps.map(({ groups }) => groups)),
  };
  const one = skips.every((skip) => skip?.why === first.why) ? first.why : null;
  const same = skips.every((skip) => skip?.reward === first.reward) ? first.reward : undefined;
  const cause =
    one === null
      ? 'no step had a gradient'
      : whyWords(whole, { why: one, ...(same !== undefined && { reward: same }) });
  const { why, advice } =
    one === null || one === 'equal-rewards'
      ? equalRewards(steps, settings, same)
      : OTHER_ADVICE[one];
  return {
    headline: `${before ? 'RL learned nothing' : 'Nothing was learned'}: ${cause}`,
    why: before ? `${why} The adapter is as it was before the first step.` : why,
    advice,
    before,
  };
}
