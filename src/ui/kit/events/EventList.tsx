import { memo, useMemo, useState } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { EventCard } from './EventCard.tsx';
import { firstSeen } from './parts/support.ts';

interface EventListProps {
  rollout: Rollout;
  /** Indices of its events; all by default. */
  indices?: readonly number[];
  className?: string;
  /** Whether there is a button to open or close all. */
  tools?: boolean;
  /** Goes to an event that a card refers to; by default opens its card. */
  go?: (index: number) => void;
}

/** The events of a finished rollout, one card each; the list owns which are open. */
export const EventList = memo((props: EventListProps) => {
  const { rollout, indices, className = '', tools = false, go } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const shown = indices ?? Array.from(rollout.events.keys());
  const toggle = (index: number) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(index)) next.add(index);
      return next;
    });
  const show = go ?? ((index: number) => setOpen((before) => new Set(before).add(index)));
  const everything = open.size >= shown.length;
  return (
    <>
      {tools ? (
        <button
          type="button"
          className="link"
          onClick={() => setOpen(everything ? new Set() : new Set(shown))}
        >
          {everything ? 'close all' : 'open all'}
        </button>
      ) : null}
      <ol className={`timeline ${className}`}>
        {shown.map((index) => {
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
              onEvent={show}
              onPassage={show}
            />
          ) : null;
        })}
      </ol>
    </>
  );
});
