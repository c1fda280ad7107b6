import { itemAt } from '../base/items.ts';
import type { AgentEvent, StopClause, VerdictEvent } from '../records/events.ts';
import type { StieCounts } from '../records/stie.ts';

/** How often each clause of STIE fired, read from the events of rollouts. */

const STOPS: Record<StopClause['rule'], keyof StieCounts> = {
  'overlap-above': 'stopOverlapAbove',
  'overlap-below': 'stopOverlapBelow',
  confidence: 'stopConfidence',
  'new-information': 'stopNewInformation',
  'repeated-queries': 'stopRepeatedQueries',
};

const LAGS = {
  answer: ['answerLag1', 'answerLag2', 'answerLag3'],
  query: ['queryLag1', 'queryLag2', 'queryLag3'],
} as const;

const noCounts = (): StieCounts => ({
  answers: 0,
  answerLag1: 0,
  answerLag2: 0,
  answerLag3: 0,
  exempt: 0,
  replaced: 0,
  keptInvalid: 0,
  noneLeft: 0,
  joinedBlocked: 0,
  removedBlocked: 0,
  finalReplaced: 0,
  queries: 0,
  queryLag1: 0,
  queryLag2: 0,
  queryLag3: 0,
  queriesExempt: 0,
  queriesRefused: 0,
  stopOverlapAbove: 0,
  stopOverlapBelow: 0,
  stopConfidence: 0,
  stopNewInformation: 0,
  stopRepeatedQueries: 0,
});

/** The verdict on the answer that the policy gave is in that answer's segment; a round's has none. */
const isFinal = ({ over, segment }: VerdictEvent): boolean =>
  over === 'answer' && segment !== undefined;

function countVerdict(counts: StieCounts, event: VerdictEvent): void {
  const { over, checks, valid, action } = event;
  const failed = checks.filter(({ passed }) => !passed);
  for (const { lag } of failed) counts[itemAt(LAGS[over], lag - 1, 'lags')]++;
  if (over === 'query') {
    counts.queries++;
    if (failed.length > 0 && valid) counts.queriesExempt++;
    if (action === 'refused') counts.queriesRefused++;
    return;
  }
  counts.answers++;
  if (failed.length > 0 && valid) counts.exempt++;
  if (action === 'replaced') counts.replaced++;
  if (action === 'kept-invalid') counts.keptInvalid++;
  if (action === 'blocked') counts.noneLeft++;
}

/** How often each clause of STIE fired in one rollout; null where STIE judged nothing. */
export function stieCounts(events: readonly AgentEvent[]): StieCounts | null {
  const counts = noCounts();
  let judged = false;
  let blocked = 0;
  for (const event of events) {
    if (event.kind === 'candidate')
      counts.removedBlocked += event.candidates.filter((candidate) => candidate.blocked).length;
    if (event.kind === 'stop' && event.clause) counts[STOPS[event.clause.rule]]++;
    if (event.kind !== 'verdict') continue;
    judged = true;
    if (event.over === 'answer') {
      counts.joinedBlocked += Math.max(0, event.blocked.length - blocked);
      blocked = event.blocked.length;
    }
    if (!isFinal(event)) countVerdict(counts, event);
    else if (event.action === 'replaced') counts.finalReplaced++;
  }
  return judged ? counts : null;
}

/** Answers that (9) found too like an earlier one, or empty, each once however many it is like. */
export const repeatedAnswers = ({ exempt, replaced, keptInvalid }: StieCounts): number =>
  exempt + replaced + keptInvalid;

/** Answers that were new. With `repeatedAnswers` and `noneLeft` they are all that were judged. */
const newAnswers = (counts: StieCounts): number =>
  counts.answers - repeatedAnswers(counts) - counts.noneLeft;

/** Queries that were searched. With `queriesRefused` they are all that were judged. */
const allowedQueries = ({ queries, queriesRefused }: StieCounts): number =>
  queries - queriesRefused;

const NAMES = Object.keys(noCounts()) as (keyof StieCounts)[];

/** Counts of several rollouts added up; null where STIE judged in none of them. */
export function sumStieCounts(all: readonly (StieCounts | null)[]): StieCounts | null {
  const known = all.flatMap((counts) => counts ?? []);
  if (known.length === 0) return null;
  const sum = noCounts();
  for (const counts of known) for (const name of NAMES) sum[name] += counts[name];
  return sum;
}

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

const STOP_WORDS = [
  ['stopOverlapAbove', 'the answers no longer changed'],
  ['stopOverlapBelow', 'the answers had too little in common (the rule as printed)'],
  ['stopConfidence', 'the answer was certain enough'],
  ['stopNewInformation', 'the passages brought too little that is new'],
  ['stopRepeatedQueries', 'the queries repeated themselves'],
] as const satisfies readonly (readonly [keyof StieCounts, string])[];

const stopWords = (counts: StieCounts): string[] => {
  const found = STOP_WORDS.flatMap(([rule, words]) => {
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
