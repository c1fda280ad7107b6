import type { AgentEvent } from './events.ts';
import { searchNumbers } from './searches.ts';

/**
 * A stretch of a rollout's events around one search: what the policy thought and asked before it, what it brought, and
 * what STIE said of that. Rounds count as searches do: round n holds search n, and queries that were refused on the way
 * to it.
 */
export interface EventRound {
  /** Number of its search (`searchNumbers`); null: none was made in it. */
  search: number | null;
  /** `background`: D0 and what was thought about it; `end`: what came after the last search; `open`: still being made. */
  kind: 'background' | 'search' | 'end' | 'open';
  /** Its events are [from, to). */
  from: number;
  to: number;
}

/** What the policy does before a search: after a search it belongs to the next round. */
const begins = (event: AgentEvent): boolean =>
  event.kind === 'think' ||
  event.kind === 'search' ||
  event.kind === 'block' ||
  event.kind === 'aside' ||
  event.kind === 'answer' ||
  event.kind === 'stop' ||
  (event.kind === 'error' && event.what === 'malformed') ||
  // The verdict on the answer that the policy gave, as opposed to a round's.
  (event.kind === 'verdict' && event.over === 'answer' && event.segment !== undefined);

const ofBackground = (event: AgentEvent): boolean =>
  event.kind === 'background' ||
  (event.kind === 'route' && event.of !== undefined) ||
  (event.kind === 'think' && event.phase === 'alignment');

const known = new WeakMap<readonly AgentEvent[], readonly EventRound[]>();

/** The rounds of a rollout, in order; together they hold every event once. */
export function eventRounds(events: readonly AgentEvent[]): readonly EventRound[] {
  const before = known.get(events);
  // Of a rollout that is being made, events are added.
  if (before !== undefined && before.at(-1)?.to === events.length) return before;
  const numbers = searchNumbers(events);
  const rounds: EventRound[] = [];
  let round: EventRound | undefined;
  let made = 0;
  for (const [index, event] of events.entries()) {
    const background = ofBackground(event);
    const number = numbers[index] ?? null;
    const searches = number !== null && number > made;
    const starts =
      round === undefined ||
      (round.kind === 'background'
        ? !background
        : round.search === null
          ? background
          : background || begins(event) || searches);
    if (starts) {
      round = { search: null, kind: background ? 'background' : 'open', from: index, to: index };
      rounds.push(round);
    }
    if (round === undefined) continue;
    round.to = index + 1;
    if (searches && round.kind !== 'background') {
      made = number;
      round.search = number;
      round.kind = 'search';
    } else if (round.search === null && round.kind === 'open')
      if (event.kind === 'answer' || event.kind === 'stop') round.kind = 'end';
  }
  known.set(events, rounds);
  return rounds;
}
