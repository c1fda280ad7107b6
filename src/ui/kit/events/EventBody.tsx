import { useContext } from 'react';
import { cardOf } from './cards.ts';
import { EventActions } from './parts/actions.ts';
import type { EventBodyProps, EventKind } from './parts/definition.ts';

/** The body of an opened card, and the actions of its page. */
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
