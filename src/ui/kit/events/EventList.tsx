import { memo, useMemo, useState } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { EventCard } from './EventCard.tsx';
import { firstSeen } from './parts/support.ts';

interface EventListProps {
  rollout: Rollout;
  /** Indices of its events. */
  indices: readonly number[];
  /** Goes to an event that a card refers to. */
  go: (index: number) => void;
}

/** Some events of a finished rollout, one card each; the list owns which are open. */
export const EventList = memo((props: EventListProps) => {
  const { rollout, indices, go } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const toggle = (index: number) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(index)) next.add(index);
      return next;
    });
  return (
    <ol className="timeline own-events">
      {indices.map((index) => {
        const event = rollout.events[index];
        return event ? (
          <EventCard
            key={index}
            rollout={rollout}
            index={index}
            event={event}
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
        ) : null;
      })}
    </ol>
  );
});
