import { ActionIcon } from '@mantine/core';
import { useEffect } from 'react';
import type { Rollout } from '../../../records/rollout.ts';
import { Icon, type IconName } from '../../kit/Icon.tsx';
import { eventLine, glyphOf } from '../../kit/events/cards.ts';
import { move, togglePlaying } from '../store/actions.ts';
import { dwellMs } from '../store/playback.ts';
import { useView } from '../store/view-store.ts';

/** Moves to the next event after the current one was shown long enough; stops at the last. */
const usePlaying = (rollout: Rollout): void => {
  const playing = useView((state) => state.playing);
  const step = useView((state) => state.address.step);
  useEffect(() => {
    if (!playing) return undefined;
    const event = step === null ? undefined : rollout.events[step];
    if (step !== null && step >= rollout.events.length - 1) {
      useView.setState({ playing: false });
      return undefined;
    }
    // Restarts when an event arrives, because the end has moved.
    const timer = setTimeout(() => move('forward'), dwellMs(event ? eventLine(event).length : 0));
    return () => clearTimeout(timer);
  }, [playing, step, rollout.events]);
};

const Button = (props: {
  label: string;
  icon: IconName;
  disabled?: boolean;
  onClick: () => void;
}) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    size="sm"
    aria-label={props.label}
    title={props.label}
    disabled={props.disabled ?? false}
    onClick={props.onClick}
  >
    <Icon name={props.icon} size={13} />
  </ActionIcon>
);

/** Playback buttons; the arrow keys, Home, End and the space bar do the same. */
export const Playback = ({ rollout }: { rollout: Rollout }) => {
  const playing = useView((state) => state.playing);
  const step = useView((state) => state.address.step);
  usePlaying(rollout);
  const count = rollout.events.length;
  const event = step === null ? undefined : rollout.events[step];
  return (
    <div className="playback" role="group" aria-label="Playback">
      <Button label="First event (Home)" icon="first" onClick={() => move('first')} />
      <Button label="Previous event (←)" icon="back" onClick={() => move('back')} />
      <Button
        label={playing ? 'Pause (space)' : 'Play (space)'}
        icon={playing ? 'pause' : 'play'}
        onClick={togglePlaying}
      />
      <Button label="Next event (→)" icon="forward" onClick={() => move('forward')} />
      <Button label="Last event (End)" icon="last" onClick={() => move('last')} />
      <span className="playback-step" aria-live="polite">
        {step === null
          ? count === 1
            ? 'the only event'
            : `all ${count} events`
          : `${step + 1} / ${count}`}
        {event ? <span className="visually-hidden"> {glyphOf(event).name}</span> : null}
      </span>
      {step === null ? null : (
        <Button label="Leave playback (Esc)" icon="close" onClick={() => move('leave')} />
      )}
    </div>
  );
};
