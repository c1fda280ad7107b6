import { cardOf } from './cards.ts';
import type { EventBodyProps, EventKind } from './parts/definition.ts';

/** The opened part of a card. */
export const EventBody = <K extends EventKind>(props: EventBodyProps<K>) => {
  const { Body } = cardOf(props.event);
  return <Body {...props} />;
};
