import { useMemo, useState } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { eventRounds } from '../../../records/rounds.ts';
import { EventBody } from '../events/EventBody.tsx';
import { firstSeen } from '../events/parts/support.ts';
import { RoundCard } from './RoundCard.tsx';

/** An event in full, below the card of its round. */
const Opened = (props: { rollout: Rollout; index: number; go: (index: number) => void }) => {
  const { rollout, index, go } = props;
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const event = rollout.events[index];
  return event ? (
    <li className="round-open">
      <EventBody
        rollout={rollout}
        index={index}
        event={event}
        gold={rollout.question}
        firstSeen={seen}
        onEvent={go}
        onPassage={go}
      />
    </li>
  ) : null;
};

interface RoundListProps {
  /** Finished. */
  rollout: Rollout;
  /** Shows an event elsewhere; by default it opens below its card. */
  go?: (index: number) => void;
}

/** The rounds of a finished rollout where there is no pane for details. */
export const RoundList = ({ rollout, go }: RoundListProps) => {
  const [open, setOpen] = useState<number | null>(null);
  const show = go ?? setOpen;
  const select = go ?? ((index: number) => setOpen((before) => (before === index ? null : index)));
  return (
    <ol className="rounds-of">
      {eventRounds(rollout.events).flatMap((round, at) => [
        <RoundCard
          key={round.from}
          round={round}
          at={at}
          events={rollout.events}
          gold={rollout.question}
          step={null}
          selected={open}
          chosen={false}
          onSelect={select}
          onRound={() => select(round.from)}
        />,
        open !== null && open >= round.from && open < round.to ? (
          <Opened key="open" rollout={rollout} index={open} go={show} />
        ) : null,
      ])}
    </ol>
  );
};
