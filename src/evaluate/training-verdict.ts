import { differenceOf } from './paired-difference.ts';
import type { Headline } from './held-out-scores.ts';
import { shareInterval } from '../base/statistics.ts';
import {
  countText,
  intervalText,
  pointsText,
  questionsNeeded,
  shareText,
  type Verdict,
} from './verdict.ts';

/** What a run is judged by. */
export interface TrainingState {
  status: 'running' | 'paused' | 'stopped' | 'finished' | 'failed';
  /** Steps made, and wanted. */
  step: number;
  steps: number;
  /** Held-out scores; null without one. */
  headline: Headline | null;
  /** "Nothing was learned: all 64 rewards were 0", and the most useful advice; null where something was. */
  nothing: { headline: string; advice: readonly string[] } | null;
}

const MORE_STEPS = 'Train longer, or score more held-out questions.';

const overlap = ({ first, last }: Headline): boolean => {
  const [low, high] = shareInterval(first.score.em, first.score.n);
  const [from, to] = shareInterval(last.score.em, last.score.n);
  return from <= high && low <= to;
};

function changeVerdict(headline: Headline, isTest: string): Verdict {
  const { first, last, paired } = headline;
  const change = last.score.em - first.score.em;
  const interval = paired?.interval ?? null;
  const clear = interval ? interval[0] > 0 || interval[1] < 0 : !overlap(headline);
  const difference = interval
    ? { mean: change, low: interval[0], high: interval[1] }
    : { mean: change, low: null, high: null };
  const range = intervalText(difference);
  const basis = `${isTest}${range === '' ? '' : `, ${range}`}`;
  const levels = `EM ${shareText(first.score.em)} → ${shareText(last.score.em)}`;
  if (clear && change > 0)
    return {
      kind: 'clear',
      sentence: `The model learned: ${levels}, up ${pointsText(change)} (${basis})`,
      next: 'Ask with the trained adapter, or evaluate it beside other systems.',
    };
  if (clear)
    return {
      kind: 'warning',
      sentence: `Training made it worse: ${levels}, down ${pointsText(change)} (${basis})`,
      next: 'Use a lower learning rate or a higher KL weight, or the snapshot of an earlier step.',
    };
  const needed = questionsNeeded(difference, last.score.n);
  return {
    kind: 'open',
    sentence: `No clear change: ${levels} (${basis})`,
    next:
      needed === null
        ? MORE_STEPS
        : `Train longer, or score about ${needed.toLocaleString('en')} held-out questions to see a change of this size.`,
  };
}

/**
 * What a run learned, by its held-out EM: the interval of the paired change where single answers are stored, else
 * whether both intervals overlap.
 *
 * @returns null where the run has not begun, or has no score and says so elsewhere
 */
export function trainingVerdict(run: TrainingState): Verdict | null {
  const { status, step, steps, headline, nothing } = run;
  const running = status === 'running';
  if (nothing && !running)
    return { kind: 'warning', sentence: nothing.headline, next: nothing.advice[0] ?? '' };
  if (nothing)
    return {
      kind: 'warning',
      sentence: `Nothing learned so far: no step of ${countText(step, 'step')} had a gradient`,
      next: nothing.advice[0] ?? '',
    };
  if (!headline) {
    if (running || steps === 0 || step === 0) return null;
    return {
      kind: 'open',
      sentence: `${countText(step, 'step')} trained, but not scored on held-out questions`,
      next: 'Evaluate the adapter to see what it learned.',
    };
  }
  const { first, last } = headline;
  const questions = countText(last.score.n, 'held-out question');
  if (first === last)
    return {
      kind: 'open',
      sentence: `${first.step === 0 ? 'Before training' : `After step ${first.step}`}: EM ${shareText(first.score.em)} on ${questions}`,
      next: running
        ? 'The next score shows what was learned.'
        : 'There is one score only; resume the run or evaluate the adapter to see what changed.',
    };
  const verdict = changeVerdict(headline, questions);
  return running
    ? {
        kind: verdict.kind === 'warning' ? 'warning' : 'open',
        sentence: `So far, after step ${last.step} of ${steps}: ${verdict.sentence}`,
        next: verdict.kind === 'warning' ? verdict.next : '',
      }
    : verdict;
}

/** A run beside another, by its last held-out score. */
export interface ScoredRun {
  name: string;
  headline: Headline | null;
}

/** Which of two or more runs ended higher on the same held-out questions. */
export function runsVerdict(runs: readonly ScoredRun[]): Verdict | null {
  if (runs.length < 2) return null;
  const scored = runs
    .flatMap(({ name, headline }) => (headline ? [{ name, score: headline.last.score }] : []))
    .toSorted((a, b) => b.score.em - a.score.em);
  const [best, second] = scored;
  if (!best || !second)
    return {
      kind: 'open',
      sentence: `Not comparable: ${scored.length === 0 ? 'no run has' : 'only one run has'} a held-out score`,
      next: 'Evaluate their adapters on the same questions.',
    };
  const [own, other] = [best.score.questions ?? [], second.score.questions ?? []];
  const same =
    own.length > 0 && own.length === other.length && own.every(({ id }, i) => id === other[i]?.id);
  const change = best.score.em - second.score.em;
  if (!same)
    return {
      kind: 'open',
      sentence: `Not comparable question by question: ${best.name} has EM ${shareText(best.score.em)}, ${second.name} ${shareText(second.score.em)}, on different or unknown questions`,
      next: 'Evaluate their adapters on the same questions.',
    };
  const difference = differenceOf(
    other.map(({ em }) => em),
    own.map(({ em }) => em),
    { binary: true },
  );
  const range = difference ? intervalText(difference) : '';
  const basis = `${countText(own.length, 'held-out question')}${range === '' ? '' : `, ${range}`}`;
  if (difference && difference.low !== null && difference.low > 0)
    return {
      kind: 'clear',
      sentence: `${best.name} beats ${second.name} by ${pointsText(change)} (EM ${shareText(second.score.em)} → ${shareText(best.score.em)}, ${basis})`,
      next: 'One seed each is one draw of the training: repeat with other seeds before you rely on it.',
    };
  return {
    kind: 'open',
    sentence:
      change === 0
        ? `${best.name} and ${second.name} are equal: EM ${shareText(best.score.em)} (${basis})`
        : `Inconclusive: ${best.name} is ${pointsText(change)} ahead of ${second.name} (${basis})`,
    next: MORE_STEPS,
  };
}
