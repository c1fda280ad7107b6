import type { RunComparison } from './compare-runs.ts';
import type { Statistics } from './statistics.ts';
import {
  countText,
  fewestQuestions,
  intervalText,
  pointsText,
  questionsNeeded,
  shareText,
  type Verdict,
} from '../verdict.ts';

/**
 * How good the rollouts of a file are, and what fails most.
 *
 * @param partial the file is still being read: the counts are of what was read so far
 */
export function rolloutsVerdict(statistics: Statistics, partial: boolean): Verdict {
  const verdict = wholeVerdict(statistics);
  return partial
    ? { ...verdict, kind: 'open', sentence: `Loading, so far: ${verdict.sentence}` }
    : verdict;
}

function wholeVerdict(statistics: Statistics): Verdict {
  const { rollouts, scored, judge, em, evidence, reward, zeroVarianceGroups, groups } = statistics;
  if (rollouts === 0)
    return { kind: 'open', sentence: 'The file has no rollouts', next: 'Open another file.' };
  const all = countText(rollouts, 'rollout');
  if (reward.n > 0 && groups > 0 && zeroVarianceGroups === groups && rollouts > groups)
    return {
      kind: 'warning',
      sentence: `Nothing to learn from: in each of ${countText(groups, 'group')} all rewards are equal`,
      next: 'Use questions that the model answers sometimes, or a reward with partial credit.',
    };
  if (scored === 0 && judge === null)
    return {
      kind: 'open',
      sentence: `${all} without a score: the file has no gold answers or verdicts, or no answer could be read`,
      next: 'Judge them here, or read single rollouts.',
    };
  if (scored === 0 && judge)
    return {
      kind: 'open',
      sentence: `${shareText(judge.right.share ?? 0)} of ${countText(judge.verdicts, 'rollout')} are right by the file’s judge`,
      next: 'Open the judge’s cases to check it.',
    };
  const wrong = scored - em.count;
  const sentence = `${shareText(em.share ?? 0)} of ${countText(scored, 'scored rollout')} are right by EM`;
  if (wrong === 0) return { kind: 'clear', sentence, next: 'Try harder questions.' };
  const read = evidence.wrongThoughRetrieved.em;
  const open = evidence.open;
  // Of those whose gold answer can be looked for in passages.
  const missed = open - evidence.retrieved.count;
  if (open === 0)
    return { kind: 'open', sentence, next: 'Group by outcome to see how the others failed.' };
  return {
    kind: 'open',
    sentence: `${sentence}; ${
      read >= missed
        ? `reading fails most: ${countText(read, 'rollout')} retrieved the answer and still got it wrong`
        : `search fails most: ${countText(missed, 'rollout')} never retrieved the answer`
    }`,
    next:
      read >= missed
        ? 'Click “retrieved but wrong” to read them.'
        : 'Read the hops to see which passage was missed.',
  };
}

type Compared = Pick<RunComparison, 'gained' | 'lost' | 'same' | 'difference'>;

/** Which of two files of rollouts is better on the questions that both have. */
export function filesVerdict(
  { gained, lost, same, difference }: Compared,
  { a, b, score }: { a: string; b: string; score: string },
): Verdict | null {
  const n = gained.length + lost.length + same.length;
  if (!difference || n === 0) return null;
  const range = intervalText(difference);
  const basis = `${score}, ${countText(n, 'shared question')}${range === '' ? '' : `, ${range}`}`;
  const [winner, loser] = difference.mean >= 0 ? [b, a] : [a, b];
  if (difference.mean === 0)
    return {
      kind: 'open',
      sentence: `${a} and ${b} are equal (${basis})`,
      next: gained.length > 0 ? 'Read the flipped questions: single answers still differ.' : '',
    };
  const fewest = fewestQuestions(1);
  const lead = `${winner} is ${pointsText(difference.mean)} ahead of ${loser}`;
  if (n < fewest)
    return {
      kind: 'open',
      sentence: `Too few questions to tell: ${lead} (${basis})`,
      next: `Compare on at least ${fewest} shared questions.`,
    };
  if (difference.low === null || (difference.low <= 0 && difference.high >= 0)) {
    const needed = questionsNeeded(difference, n);
    return {
      kind: 'open',
      sentence: `Inconclusive: ${lead} (${basis})`,
      next:
        needed === null
          ? 'Read the flipped questions.'
          : `About ${needed.toLocaleString('en')} questions would show a difference of this size.`,
    };
  }
  return {
    kind: 'clear',
    sentence: `${winner} beats ${loser} by ${pointsText(difference.mean)} (${basis})`,
    next: 'Read the flipped questions to see why.',
  };
}
