import type { AgentEvent } from './events.ts';

/**
 * How the searches of a rollout are counted, wherever a number of them is shown. A search is one that was made: a
 * route and its result, or its failure. A query that was refused, or came after the last search that is allowed, is
 * none, nor is the background.
 */

const known = new WeakMap<readonly AgentEvent[], readonly (number | null)[]>();

/**
 * Of each event the number of its search, from 1 to `countSearches`: of a query and of STIE's verdict on it the
 * search that it led to, null where it led to none (yet); of every other event the last search made before it or
 * by it, 0 before the first.
 */
export function searchNumbers(events: readonly AgentEvent[]): readonly (number | null)[] {
  const before = known.get(events);
  // Of a rollout that is being made, events are added.
  if (before?.length === events.length) return before;
  const numbers: (number | null)[] = [];
  /** Queries that have not led to a search. */
  let open: number[] = [];
  let made = 0;
  /** A route whose result has not come. */
  let routed = false;
  for (const [index, event] of events.entries()) {
    const isRoute = event.kind === 'route' && event.of === undefined;
    if (isRoute || (event.kind === 'retrieve' && !routed)) {
      made++;
      for (const query of open) numbers[query] = made;
      open = [];
    }
    if (isRoute || event.kind === 'retrieve') routed = isRoute;
    const isVerdict = event.kind === 'verdict' && event.over === 'query';
    numbers.push(event.kind === 'search' || isVerdict ? null : made);
    if (event.kind === 'search') open = [index];
    if (isVerdict) open = event.action === 'refused' ? [] : [...open, index];
  }
  known.set(events, numbers);
  return numbers;
}

/** Searches that were made. */
export const countSearches = (events: readonly AgentEvent[]): number =>
  searchNumbers(events).findLast((number) => number !== null) ?? 0;
