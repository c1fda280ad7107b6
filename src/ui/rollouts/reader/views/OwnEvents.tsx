import { memo } from 'react';
import type { AgentEvent } from '../../../../records/events.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { cardOf } from '../../../kit/events/cards.ts';
import { EventList } from '../../../kit/events/EventList.tsx';

/**
 * Events that the text alone does not tell (routing, STIE, probes, calls, the end), as indices by the
 * segment after which they are shown.
 */
export const ownEventsBySegment = (events: readonly AgentEvent[]): Map<number, number[]> => {
  const lists = new Map<number, number[]>();
  let segment = 0;
  events.forEach((event, index) => {
    segment = event.segment ?? segment;
    if (!cardOf(event).besideText) return;
    const list = lists.get(segment);
    if (list) list.push(index);
    else lists.set(segment, [index]);
  });
  return lists;
};

interface OwnEventsProps {
  rollout: Rollout;
  events: readonly number[];
  /** Goes to a segment. */
  goEvent: (segment: number) => void;
}

/** The main job's cards. */
export const OwnEvents = memo(({ rollout, events, goEvent }: OwnEventsProps) => (
  <EventList
    rollout={rollout}
    indices={events}
    go={(index) => goEvent(rollout.events[index]?.segment ?? 0)}
  />
));
