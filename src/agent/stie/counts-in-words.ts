import type { StieCounts } from '../../records/stie.ts';

/** What STIE did in a rollout or in several, in sentences for someone who has not read the paper. */

const said = (count: number, words: string): string[] => (count === 0 ? [] : [`${count} ${words}`]);

/** "2 too like the last", in the order of the paper. */
const alikeWords = (...counts: readonly [number, number, number]): string[] =>
  ['last', 'second last', 'third last'].flatMap((which, lag) =>
    said(counts[lag] ?? 0, `too like the ${which}`),
  );

/** "4 candidate answers judged: …." */
const judgedWords = (
  count: number,
  [one, many]: readonly [string, string],
  found: readonly string[],
): string[] => {
  if (count === 0 && found.length === 0) return [];
  const judged = `${count} ${count === 1 ? one : many} judged`;
  return [`${judged}: ${found.length === 0 ? 'new enough' : found.join(', ')}.`];
};

const answerWords = (counts: StieCounts): string[] =>
  judgedWords(
    counts.answers,
    ['candidate answer', 'candidate answers'],
    [
      ...alikeWords(counts.answerLag1, counts.answerLag2, counts.answerLag3),
      ...said(counts.exempt, 'kept because passages support it'),
      ...said(counts.replaced, 'replaced by the next likely'),
      ...said(counts.keptInvalid, 'kept for want of a better one'),
      ...said(counts.joinedBlocked, 'blocked for coming back too often'),
      ...said(counts.removedBlocked, 'not proposed again because it was blocked'),
      ...said(counts.finalReplaced, 'given at the end though blocked, and replaced'),
    ],
  );

const queryWords = (counts: StieCounts): string[] =>
  judgedWords(
    counts.queries,
    ['query', 'queries'],
    [
      ...alikeWords(counts.queryLag1, counts.queryLag2, counts.queryLag3),
      ...said(counts.queriesExempt, 'let through for asking something else, or another source'),
      ...said(counts.queriesRefused, 'refused'),
    ],
  );

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

/** "4 candidate answers judged: 1 too like the last, … . 3 queries judged: 1 refused." What is 0 is left out. */
export const stieInWords = (counts: StieCounts): string =>
  [...answerWords(counts), ...queryWords(counts), ...stopWords(counts)].join(' ');
