import type { SearchTarget } from '../../../records/hits.ts';
import { searchNumbers } from '../../../records/searches.ts';
import type { Rollout } from '../../../records/rollout.ts';

/** The searches of a rollout, each with what it asked, where, and what came. */

interface BesidePassage {
  title: string;
  /** Supports the answer, and is no passage that only looks like it. */
  gold: boolean;
}

/** One search, with the queries that were refused before it. Events are indices in the rollout. */
export interface BesideRound {
  /** 0: the background; else the place of the round: that of its search, or one after the last. */
  number: number;
  /** Null where every query of the round was refused, or none was made. */
  query: string | null;
  source: SearchTarget | null;
  /** Queries that STIE refused before, and answers that it did not keep. */
  refused: { what: 'query' | 'answer'; text: string; event: number }[];
  passages: BesidePassage[];
  /** The call failed. */
  failed: boolean;
  /** Where the round begins. */
  event: number;
}

const empty = (number: number, event: number): BesideRound => ({
  number,
  query: null,
  source: null,
  refused: [],
  passages: [],
  failed: false,
  event,
});

export function besideRounds({
  events,
  question,
}: Pick<Rollout, 'events' | 'question'>): BesideRound[] {
  const rounds: BesideRound[] = [];
  const wanted = new Set(question.supporting);
  const numbers = searchNumbers(events);
  /** A query that led to no search: a round of its own only if it was refused. */
  let unmade: number | null = null;
  let brought = true;
  let now: BesideRound | null = null;
  /** The round available, or a new one where a search begins behind one that is over. */
  const at = (event: number, begins: boolean): BesideRound => {
    if (now && !(begins && (brought || now.failed))) return now;
    const searches = rounds.filter(({ number }) => number > 0).length;
    now = empty(searches + 1, event);
    rounds.push(now);
    brought = false;
    return now;
  };
  events.forEach((event, index) => {
    const passages = (): BesidePassage[] =>
      'hits' in event
        ? event.hits.map(({ passage: { title, noise } }) => ({
            title,
            gold: noise === undefined && wanted.has(title),
          }))
        : [];
    switch (event.kind) {
      case 'background':
        rounds.push({ ...empty(0, index), query: event.query, passages: passages() });
        break;
      case 'search':
        if (numbers[index] === null) unmade = index;
        else at(index, true).query = event.query;
        break;
      case 'route':
        if (event.of === undefined) at(index, true).source = event.choice;
        break;
      case 'retrieve': {
        const round = at(index, false);
        round.query ??= event.query;
        round.source ??= event.source;
        round.passages = passages();
        brought = true;
        break;
      }
      case 'verdict':
        if (event.over === 'query' && event.action === 'refused') {
          const round = at(unmade ?? index, true);
          unmade = null;
          round.refused.push({ what: 'query', text: event.text, event: index });
          round.query = null;
        } else if (event.over === 'answer' && event.action !== 'kept')
          at(index, false).refused.push({ what: 'answer', text: event.text, event: index });
        break;
      case 'error':
        if (event.what === 'retrieval' && now && !brought) at(index, false).failed = true;
        break;
      default:
    }
  });
  return rounds;
}
