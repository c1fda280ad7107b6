import type { StieCounts } from '../../records/stie.ts';
import { allowedQueries, newAnswers } from './counts.ts';

/** What STIE did in a rollout or in several, in sentences for someone who has not read the paper. */

const said = (count: number, words: string): string[] => (count === 0 ? [] : [`${count} ${words}`]);

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** "6 answers (all new)": the counts in brackets add up to the answers. */
const answerWords = (counts: StieCounts): string[] => {
  if (counts.answers === 0) return [];
  const parts = [
    ...said(newAnswers(counts), 'new'),
    ...said(counts.exempt, 'kept as a repeat that passages support'),
    ...said(counts.replaced, 'replaced, as a repeat or empty'),
    ...said(counts.keptInvalid, 'kept though a repeat or empty, for want of a better one'),
    ...said(counts.noneLeft, 'without a candidate left'),
  ];
  const all = newAnswers(counts) === counts.answers ? 'all new' : parts.join(', ');
  return [`${counted(counts.answers, 'answer', 'answers')} (${all})`];
};

/** "7 queries: 6 allowed, 1 refused as a repeat", which add up. */
const queryWords = (counts: StieCounts): string[] => {
  if (counts.queries === 0) return [];
  const repeats = counted(counts.queriesExempt, 'repeat', 'repeats');
  const asks = counts.queriesExempt === 1 ? 'asks' : 'ask';
  const exempt =
    counts.queriesExempt === 0
      ? ''
      : ` (${repeats} that ${asks} something else, or another source)`;
  const refused =
    counts.queriesRefused === 0 ? '' : `, ${counts.queriesRefused} refused as a repeat`;
  return [
    `${counted(counts.queries, 'query', 'queries')}: ${allowedQueries(counts)} allowed${exempt}${refused}`,
  ];
};

const blockedWords = (counts: StieCounts): string[] => {
  const parts = [
    ...said(counts.joinedBlocked, 'blocked for coming back too often'),
    ...said(counts.removedBlocked, 'not proposed again because they were blocked'),
    ...said(counts.finalReplaced, 'given at the end though blocked, and replaced'),
  ];
  return parts.length === 0 ? [] : [`Answers: ${parts.join(', ')}.`];
};

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

/** To follow "STIE": "checked 6 answers (all new) and 7 queries: 6 allowed, 1 refused as a repeat." What is 0 is left out. */
export const stieText = (counts: StieCounts): string => {
  const checked = [...answerWords(counts), ...queryWords(counts)];
  return [
    checked.length === 0 ? 'checked nothing.' : `checked ${checked.join(' and ')}.`,
    ...blockedWords(counts),
    ...stopWords(counts),
  ].join(' ');
};
