import { useContext } from 'react';
import { cardOf } from './cards.ts';
import { EventActions } from './parts/actions.ts';
import type { EventBodyProps, EventKind } from './parts/definition.ts';

/** The opened part of a card, and what its place offers to do there. */
export const EventBody = <K extends EventKind>(props: EventBodyProps<K>) => {
  const { Body } = cardOf(props.event);
  const actions = useContext(EventActions);
  return (
    <>
      <Body {...props} />
      {actions?.(props.rollout, props.index)}
    </>
  );
};
