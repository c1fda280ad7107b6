import { memo, useMemo, useState } from 'react';
import type { AgentEvent } from '../../../../records/events.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { cardOf } from '../../../kit/events/cards.ts';
import { EventCard } from '../../../kit/events/EventCard.tsx';
import { firstSeen } from '../../../kit/events/parts/support.ts';

/**
 * Events that the text alone does not tell (routing, STIE, probes, calls, the end), as indices by the
 * segment behind which they are shown.
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
export const OwnEvents = memo(({ rollout, events, goEvent }: OwnEventsProps) => {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const toggle = (index: number) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(index)) next.add(index);
      return next;
    });
  const go = (index: number) => goEvent(rollout.events[index]?.segment ?? 0);
  return (
    <ol className="timeline own-events">
      {events.map((index) => (
        <EventCard
          key={index}
          rollout={rollout}
          index={index}
          event={rollout.events[index]!}
          gold={rollout.question}
          firstSeen={seen}
          open={open.has(index)}
          ahead={false}
          current={false}
          selected={false}
          onToggle={toggle}
          onEvent={go}
          onPassage={go}
        />
      ))}
    </ol>
  );
});
