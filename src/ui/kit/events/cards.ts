import type { CardDefinition, EventKind, EventOf, Glyph } from './parts/definition.ts';
import { CARDS } from './kinds/list.ts';

/** The card of an event's kind. */
export function cardOf<K extends EventKind>(event: EventOf<K>): CardDefinition<K> {
  return CARDS[event.kind];
}

/** The icon of an event; may depend on more than the kind, as for a verdict. */
export const glyphOf = <K extends EventKind>(event: EventOf<K>): Glyph =>
  cardOf(event).glyph(event);

/** One line that summarises the event, for the closed card and screen readers. */
export const eventLine = <K extends EventKind>(event: EventOf<K>): string =>
  cardOf(event).line(event);
