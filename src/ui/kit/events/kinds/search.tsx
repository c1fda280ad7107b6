import { searchNumbers } from '../../../../records/searches.ts';
import type { CardDefinition, EventBodyProps } from '../parts/definition.ts';

/** Null for a query that was not (or not yet) searched. */
const numberOf = ({ rollout, index }: Pick<EventBodyProps, 'rollout' | 'index'>): number | null =>
  searchNumbers(rollout.events)[index] ?? null;

/** The card of a query; its results have their own card. */
export const search: CardDefinition<'search'> = {
  glyph: () => ({ sign: 'search', name: 'Search', tone: 'policy' }),
  line: ({ query }) => query.trim() || 'empty query',
  lineInBody: true,
  figure: (_event, at) => {
    const number = numberOf(at);
    return number === null ? 'not searched' : `search ${number}`;
  },
  besideText: false,
  Body: ({ event, ...at }) => (
    <div className="body">
      <p className="prose">{event.query}</p>
      <p className="fine">
        {numberOf(at) === null ? 'Not searched' : `Search ${numberOf(at)}`},{' '}
        {event.by === 'loop'
          ? `made by the loop from the model’s text, as a ${event.tag} tag`
          : `written in a ${event.tag} tag`}
        .
      </p>
    </div>
  ),
};
