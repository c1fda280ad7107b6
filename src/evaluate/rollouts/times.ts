import type { AgentEvent } from '../../records/events.ts';
import type { SearchTarget } from '../../records/hits.ts';
import { countSearches, searchNumbers } from '../../records/searches.ts';
import type { RolloutMetrics } from '../../records/rollout.ts';

/**
 * Where the seconds of a rollout went. An event is in the record at the time when it was over, so that what it
 * took lies between it and the one before. A call that states its own duration ends with its event: the rest of
 * that stretch is what the policy, or the loop, did before the call.
 */

export const TIME_NAMES = {
  writes: 'model writes',
  aside: 'model writes outside its context',
  local: 'local search',
  web: 'web search',
  both: 'search of both sources',
  delay: 'added delay of search',
  summary: 'summary of results',
  router: 'router',
  probes: 'STIE probes answers',
  stie: 'STIE judges',
  rest: 'the loop itself',
} as const;

type TimeKind = keyof typeof TIME_NAMES;

/** A stretch of a rollout in which one thing was done; milliseconds since the rollout began. */
export interface TimeSpan {
  kind: TimeKind;
  start: number;
  ms: number;
  /** Number of the search that it belongs to or leads to; 0: before the first, null: after the last. */
  search: number | null;
  /** The event that it ended with; null: the record was closed after the last one. */
  event: number | null;
}

export interface RolloutTimes {
  kind: 'times';
  /** In order, without gaps and without those that took nothing. */
  spans: TimeSpan[];
  /** By kind, the longest first. */
  totals: { kind: TimeKind; ms: number }[];
  totalMs: number;
  /** Stated durations that are longer than the stretch which they are in: counted as far as it goes. */
  clipped: number;
}

export type TimesOf =
  | RolloutTimes
  /** As text, why nobody can tell. */
  | { kind: 'none'; why: string };

/** One piece of the stretch before an event, in order. */
interface Piece {
  kind: TimeKind;
  ms: number;
}

const wrote = (event: AgentEvent): boolean => {
  switch (event.kind) {
    case 'think':
    case 'search':
    case 'block':
      return true;
    case 'answer':
      return event.by !== 'stie';
    case 'stop':
      return /^(?:end-of-text|token-budget|context-full|malformed)$/.test(event.reason);
    case 'error':
      return event.what !== 'retrieval';
    default:
      return false;
  }
};

/** Measured facts of a call; null for other events. */
function callOf(event: AgentEvent, source: SearchTarget): Piece[] | null {
  switch (event.kind) {
    case 'background':
      return [{ kind: source, ms: event.latencyMs }];
    case 'retrieve': {
      const delay = Math.min(Math.max(0, event.addedDelayMs), event.latencyMs);
      return [
        { kind: 'delay', ms: delay },
        { kind: event.source, ms: event.latencyMs - delay },
      ];
    }
    case 'summarize':
      return [{ kind: 'summary', ms: event.latencyMs }];
    default:
      return null;
  }
}

function wholeOf(event: AgentEvent, source: SearchTarget): TimeKind {
  switch (event.kind) {
    case 'aside':
      return 'aside';
    case 'route':
      return 'router';
    case 'candidate':
      return 'probes';
    case 'verdict':
      return 'stie';
    case 'error':
      return event.what === 'retrieval' ? source : 'writes';
    default:
      return wrote(event) ? 'writes' : 'rest';
  }
}

/** What the stretch of `gap` milliseconds before an event was spent on. */
function piecesOf(event: AgentEvent, gap: number, source: SearchTarget): Piece[] {
  const call = callOf(event, source);
  if (!call) return [{ kind: wholeOf(event, source), ms: gap }];
  let left = gap;
  // From its end: the call is over with its event.
  const inside = call.toReversed().map(({ kind, ms }): Piece => {
    const part = Math.min(left, Math.max(0, ms));
    left -= part;
    return { kind, ms: part };
  });
  return [{ kind: 'rest', ms: left }, ...inside.toReversed()];
}

/** The search of each event, as searches are counted; what is written leads to the next one, null where none follows. */
function searchOfEvents(events: readonly AgentEvent[]): (number | null)[] {
  const all = countSearches(events);
  const numbers = searchNumbers(events);
  let made = 0;
  return events.map((event, index) => {
    const number = numbers[index] ?? null;
    const leads = number === null || wrote(event) || event.kind === 'aside';
    const search = leads ? made + 1 : number;
    if (event.kind === 'route' || event.kind === 'retrieve') made = number ?? made;
    return search > all ? null : search;
  });
}

/** Durations below this, in milliseconds, are not shown as a span. */
const NOTHING = 1e-6;

const NO_EVENTS =
  'The record has no events, which carry the times: files of other systems have only the text of a rollout.';

/** Adds a piece to the stretch before where it continues with the same. */
function push(spans: TimeSpan[], span: TimeSpan): void {
  const last = spans.at(-1);
  if (last && last.kind === span.kind && last.search === span.search) {
    last.ms += span.ms;
    last.event = span.event;
  } else spans.push(span);
}

function totalsOf(spans: readonly TimeSpan[]): RolloutTimes['totals'] {
  const sums = new Map<TimeKind, number>();
  for (const { kind, ms } of spans) sums.set(kind, (sums.get(kind) ?? 0) + ms);
  return [...sums].map(([kind, ms]) => ({ kind, ms })).sort((a, b) => b.ms - a.ms);
}

/** Times of a record; `metrics` tell when it was closed. */
export function timesOf(record: {
  events?: readonly AgentEvent[] | undefined;
  metrics?: Pick<RolloutMetrics, 'seconds'> | null | undefined;
}): TimesOf {
  const { events = [], metrics } = record;
  const seconds = metrics?.seconds ?? 0;
  const whole = seconds > 0 ? ` It has only the total: ${seconds} s.` : '';
  if (events.length === 0) return { kind: 'none', why: `${NO_EVENTS}${whole}` };
  if (events.every(({ t }) => !(t > 0)))
    return { kind: 'none', why: `All events of the record are at 0 ms.${whole}` };
  const spans: TimeSpan[] = [];
  let [at, clipped] = [0, 0];
  const searches = searchOfEvents(events);
  let source: SearchTarget = 'local';
  for (const [index, event] of events.entries()) {
    if (event.kind === 'route') source = event.choice;
    // An event that stands before the one before it took no time that anyone knows.
    const gap = Math.max(0, event.t - at);
    const search = searches[index] ?? null;
    const stated = callOf(event, source)?.reduce((sum, { ms }) => sum + Math.max(0, ms), 0) ?? 0;
    // Clocks of events are rounded to a millisecond.
    if (stated > gap + 1) clipped += 1;
    for (const { kind, ms } of piecesOf(event, gap, source)) {
      if (ms > NOTHING) push(spans, { kind, start: at, ms, search, event: index });
      at += ms;
    }
  }
  const after = seconds * 1000 - at;
  // Closing the record takes a moment, and its time is rounded.
  if (after > NOTHING)
    push(spans, { kind: 'rest', start: at, ms: after, search: null, event: null });
  const totals = totalsOf(spans);
  return {
    kind: 'times',
    spans,
    totals,
    totalMs: totals.reduce((sum, { ms }) => sum + ms, 0),
    clipped,
  };
}
