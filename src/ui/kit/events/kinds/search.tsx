import type { CardDefinition } from '../parts/definition.ts';

/** The card of a query; what it returned is a card of its own. */
export const search: CardDefinition<'search'> = {
  glyph: () => ({ sign: '⌕', name: 'Search', tone: 'policy' }),
  line: ({ query }) => query.trim() || 'empty query',
  lineInBody: true,
  figure: ({ round }) => `round ${round}`,
  besideText: false,
  Body: ({ event }) => (
    <div className="body">
      <p className="prose">{event.query}</p>
      <p className="fine">
        Search {event.round},{' '}
        {event.by === 'loop'
          ? `made by the loop of what the policy wrote, as a ${event.tag} tag`
          : `written in a ${event.tag} tag`}
        .
      </p>
    </div>
  ),
};
