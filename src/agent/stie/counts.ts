import { itemAt } from '../../base/items.ts';
import type { AgentEvent, StopClause, VerdictEvent } from '../../records/events.ts';
import type { StieCounts } from '../../records/stie.ts';

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
export const newAnswers = (counts: StieCounts): number =>
  counts.answers - repeatedAnswers(counts) - counts.noneLeft;

/** Queries that were searched. With `queriesRefused` they are all that were judged. */
export const allowedQueries = ({ queries, queriesRefused }: StieCounts): number =>
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
