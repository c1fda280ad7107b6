import { sum } from '../../base/statistics.ts';
import type { StieCounts } from '../../records/stie.ts';

/** What STIE did in a rollout or in several, in sentences for someone who has not read the paper. */

const said = (count: number, words: string): string[] => (count === 0 ? [] : [`${count} ${words}`]);

const LAGS = ['the last', 'the second last', 'the third last'];

interface Judged {
  count: number;
  names: readonly [one: string, many: string];
  /** Those that (9) found too like the last, the second last and the third last; one may be too like several. */
  lags: readonly [number, number, number];
  /** What became of those, each of them once. */
  fates: readonly (readonly [number, string])[];
}

/** "1 too like the last and refused", "2 too like the last, of which 1 let through for …, 1 refused". */
const alikeWords = (alike: number, { lags, fates }: Judged): string => {
  const found = LAGS.flatMap((which, lag) => said(lags[lag] ?? 0, which));
  const [only] = LAGS.filter((_, lag) => (lags[lag] ?? 0) > 0);
  const head =
    found.length === 1 && only !== undefined
      ? `${alike} too like ${only}`
      : `${alike} too like an earlier one${found.length > 0 ? ` (${found.join(', ')})` : ''}`;
  const known = fates.filter(([count]) => count > 0);
  if (known.length === 0) return head;
  const [first] = known;
  if (first?.[0] === alike) return `${head} and ${first[1]}`;
  return `${head}, of which ${known.map(([count, words]) => `${count} ${words}`).join(', ')}`;
};

/** "4 queries judged: 2 new enough, 2 too like the last, of which …." Each is counted once, so that the counts add up. */
const judgedWords = (judged: Judged): string[] => {
  const { count, names, lags, fates } = judged;
  // One that is too like an earlier one may have no fate of its own, as in a rollout that was forked there.
  const alike = Math.max(sum(fates.map(([one]) => one)), ...lags);
  if (count === 0 && alike === 0) return [];
  const parts = [
    ...said(Math.max(0, count - alike), 'new enough'),
    ...(alike === 0 ? [] : [alikeWords(alike, judged)]),
  ];
  return [`${count} ${names[count === 1 ? 0 : 1]} judged: ${parts.join(', ')}.`];
};

const answerWords = (counts: StieCounts): string[] => {
  const blocked = [
    ...said(counts.joinedBlocked, 'blocked for coming back too often'),
    ...said(counts.removedBlocked, 'not proposed again because it was blocked'),
    ...said(counts.finalReplaced, 'given at the end though blocked, and replaced'),
  ];
  return [
    ...judgedWords({
      count: counts.answers,
      names: ['candidate answer', 'candidate answers'],
      lags: [counts.answerLag1, counts.answerLag2, counts.answerLag3],
      fates: [
        [counts.exempt, 'kept because passages support it'],
        [counts.replaced, 'replaced by the next likely'],
        [counts.keptInvalid, 'kept for want of a better one'],
      ],
    }),
    ...(blocked.length === 0 ? [] : [`${blocked.join(', ')}.`]),
  ];
};

const queryWords = (counts: StieCounts): string[] =>
  judgedWords({
    count: counts.queries,
    names: ['query', 'queries'],
    lags: [counts.queryLag1, counts.queryLag2, counts.queryLag3],
    fates: [
      [counts.queriesExempt, 'let through for asking something else, or another source'],
      [counts.queriesRefused, 'refused'],
    ],
  });

const STOPS = [
  ['stopOverlapAbove', 'the answers no longer changed'],
  ['stopOverlapBelow', 'the answers had too little in common (the rule as printed)'],
  ['stopConfidence', 'the answer was certain enough'],
  ['stopNewInformation', 'the passages brought too little that is new'],
  ['stopRepeatedQueries', 'the queries repeated themselves'],
] as const satisfies readonly (readonly [keyof StieCounts, string])[];

const stopWords = (counts: StieCounts): string[] => {
  const found = STOPS.flatMap(([rule, words]) => {
    const count = counts[rule];
    return count === 0 ? [] : [count === 1 ? words : `${words} (${count} times)`];
  });
  return found.length === 0 ? [] : [`Stopped because ${found.join(', ')}.`];
};

/** "4 candidate answers judged: 3 new enough, 1 too like the last and … . 3 queries judged: …." What is 0 is left out. */
export const stieInWords = (counts: StieCounts): string =>
  [...answerWords(counts), ...queryWords(counts), ...stopWords(counts)].join(' ');
