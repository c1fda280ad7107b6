import type { AgentEvent, RouteEvent } from '../../records/events.ts';
import type { SourceName } from '../../records/hits.ts';
import type { Rollout } from '../../records/rollout.ts';

/**
 * What can be done otherwise at an event of a recorded rollout, and from which event the rollout has to be
 * made again so that the change meets it.
 */

/**
 * - `source`: the search available, or the next one, goes to the other source;
 * - `gold`: what it finds begins with the supporting passages that are missing;
 * - `admit`: the next query that STIE refused is let through;
 * - `draw`: other random numbers; `temperature`: another one; `policy`: another adapter.
 */
export const FORK_CHANGES = ['source', 'gold', 'admit', 'draw', 'temperature', 'policy'] as const;

export type ForkChange = (typeof FORK_CHANGES)[number];

export type ForkOffer =
  | {
      possible: true;
      /** The first event that is made again. */
      event: number;
      /** Of `source`: where the search goes then. */
      source?: SourceName;
      /** What the change meets, as the record says: the query, the passages' titles. */
      what?: string;
    }
  /** `why` not, as the end of a sentence. */
  | { possible: false; why: string };

type Record = Pick<Rollout, 'events' | 'question'>;

const no = (why: string): ForkOffer => ({ possible: false, why });

/** Titles of supporting passages that the events before `event` have not retrieved. */
export function missingTitles({ events, question }: Record, event: number): string[] {
  const seen = new Set(
    events
      .slice(0, event)
      .flatMap((one) =>
        one.kind === 'retrieve' || one.kind === 'background'
          ? one.hits.map(({ passage }) => passage.title)
          : [],
      ),
  );
  return question.supporting.filter((title) => !seen.has(title));
}

const isCall = (event: AgentEvent): event is RouteEvent =>
  event.kind === 'route' && event.of === undefined;

const isOutcome = ({ kind }: AgentEvent): boolean => kind === 'retrieve' || kind === 'background';

/** The event of the search that an outcome belongs to: its route; else the event itself. */
function callOf(events: readonly AgentEvent[], at: number): number {
  const event = events[at];
  const failed = event?.kind === 'error' && event.what === 'retrieval';
  if (event?.kind !== 'retrieve' && !failed) return at;
  const route = events.slice(0, at).findLastIndex(isCall);
  return route < 0 ? at : route;
}

/** The query of the search whose route is at `at`. */
const queryAt = (events: readonly AgentEvent[], at: number): string => {
  const asked = events.slice(0, at).findLast((event) => event.kind === 'search');
  const got = events.slice(at).find((event) => event.kind === 'retrieve');
  return asked?.query ?? got?.query ?? '';
};

function otherSource({ events }: Record, at: number): ForkOffer {
  const event = callOf(events, at);
  const next = events.findIndex((one, i) => i >= event && isCall(one));
  const route = events[next];
  if (route?.kind !== 'route') return no('no search follows');
  if (route.choice === 'both') return no('the next search asks both sources already');
  const source = route.choice === 'local' ? 'web' : 'local';
  return { possible: true, event, source, what: queryAt(events, next) };
}

function withGold(of: Record, event: number): ForkOffer {
  if (of.question.supporting.length === 0) return no('the question names no supporting passages');
  if (!of.events.slice(event).some(isOutcome)) return no('no search follows');
  const titles = missingTitles(of, event);
  if (titles.length === 0) return no('every supporting passage had arrived by then');
  return { possible: true, event, what: titles.join(', ') };
}

function admitted({ events }: Record, event: number): ForkOffer {
  const refusal = events
    .slice(event)
    .find((one) => one.kind === 'verdict' && one.over === 'query' && one.action === 'refused');
  if (refusal?.kind !== 'verdict') {
    const at = events[event];
    return no(
      at?.kind === 'verdict' &&
        at.over === 'answer' &&
        (at.action === 'replaced' || at.action === 'blocked')
        ? 'the model does not read STIE’s candidate answers, and STIE refuses no query after this event'
        : 'STIE refuses no query after this event',
    );
  }
  return { possible: true, event, what: refusal.text };
}

/**
 * What of a change is possible at an event.
 * @param at index of an event of a record that has ended
 */
export function offerOf(of: Record, at: number, change: ForkChange): ForkOffer {
  const { events } = of;
  if (events[at] === undefined) return no('there is no such event');
  if (events[at].kind === 'stop') return no('nothing happens after the end');
  switch (change) {
    case 'source':
      return otherSource(of, at);
    case 'gold':
      return withGold(of, at);
    case 'admit':
      return admitted(of, at);
    case 'draw':
    case 'temperature':
    case 'policy':
      return { possible: true, event: at };
  }
}
