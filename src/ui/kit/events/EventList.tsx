import { memo, useMemo, useState } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { EventCard } from './EventCard.tsx';
import { firstSeen } from './parts/support.ts';

interface EventListProps {
  rollout: Rollout;
  /** Which of its events, as indices; all by default. */
  indices?: readonly number[];
  className?: string;
  /** Whether all can be opened and closed at once. */
  tools?: boolean;
  /** Goes to an event that a card names; by default, its card opens. */
  go?: (index: number) => void;
}

/** What happened in a rollout that has ended, a card an event; those that are open stay the list's own. */
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
