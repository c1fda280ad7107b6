import { useContext } from 'react';
import { isOwnRollout, type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { cardOf } from '../../../kit/events/cards.ts';
import { EventActions } from '../../../kit/events/parts/actions.ts';

/** What is offered for the event whose text a segment is; those beside the text have cards of their own. */
export const TextActions = ({
  rollout,
  segment,
}: {
  rollout: ImportedRollout;
  segment: number;
}) => {
  const actions = useContext(EventActions);
  if (!actions || !isOwnRollout(rollout) || rollout.segments[segment]?.source !== 'policy')
    return null;
  const event = rollout.events.findIndex(
    (one) => one.segment === segment && !cardOf(one).besideText,
  );
  return event < 0 ? null : actions(rollout, event);
};
