import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Question } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { eventRounds } from '../../../records/rounds.ts';
import { glyphOf, eventLine } from '../../kit/events/cards.ts';
import { Sign } from '../../kit/events/Sign.tsx';
import { RoundCard } from '../../kit/rounds/RoundCard.tsx';
import { countTokens, tokensUpTo } from '../../kit/tokens/layout.ts';
import { BY_WRITER, type ColourMode } from '../../kit/tokens/paint.ts';
import { TokenStrip } from '../../kit/tokens/TokenStrip.tsx';
import { keepInView } from '../../kit/page/keep-in-view.ts';
import { groupIdOf } from '../../../lab/contract/settings.ts';
import { focusRollout, move, togglePlaying } from '../store/actions.ts';
import { isRevealed } from '../store/replay.ts';
import { useAsk } from '../store/ask-store.ts';
import { ActionIcon } from '@mantine/core';
import { Icon, type IconName } from '../../kit/Icon.tsx';
import { dwellMs } from '../store/playback.ts';
import { formatSeconds } from '../../kit/words/format.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';
import { VerdictLine } from './VerdictLine.tsx';

interface RolloutColumnProps {
  rollout: Rollout;
  index: number;
  /** Null for a typed question, which has no gold. */
  gold: Question | null;
  finished: boolean;
  /** The address points at this rollout; playback and keys act on it. */
  focused: boolean;
  /** More than one rollout is on the screen. */
  grouped: boolean;
  /** The largest |advantage| of the group if tokens are coloured by advantage; null: by writer. */
  largestAdvantage: number | null;
}

/** One icon per event: an overview of the rollout, and a way to jump. */
const GlyphRail = (props: {
  rollout: Rollout;
  step: number | null;
  jump: (index: number) => void;
}) => (
  <div className="glyph-rail" role="group" aria-label="Events">
    {props.rollout.events.map((event, index) => {
      const glyph = glyphOf(event);
      const ahead = props.step !== null && index > props.step;
      return (
        <button
          key={index}
          type="button"
          className={`glyph tone-${glyph.tone}${ahead ? ' ahead' : ''}`}
          aria-label={`${index + 1}: ${glyph.name}`}
          aria-current={props.step === index ? 'step' : undefined}
          title={`${index + 1} ${glyph.name}`}
          onClick={() => props.jump(index)}
        >
          <Sign sign={glyph.sign} />
        </button>
      );
    })}
  </div>
);

/** The text that the model is writing; gone once the rollout has ended. */
const LiveText = ({ rollout }: { rollout: Rollout }) => {
  const last = rollout.segments.at(-1);
  const text = last?.source === 'policy' ? last.text.slice(-300) : '';
  return (
    <div className="live" aria-hidden="true">
      <span className="live-dot" /> {text || 'reading the prompt …'}
    </div>
  );
};

/** Scrolls to the head of a column, and down to the played event if that is below the screen. */
const toHead = (column: Element): void => {
  column.scrollIntoView({ block: 'start' });
  column.querySelector('.part.current')?.scrollIntoView({ block: 'nearest' });
};

/**
 * Scrolls a group's row until the focused column is fully visible, and the page if a rollout chosen
 * elsewhere (by the address, a key, a picture) starts out of view. A click into a column also focuses
 * it: then nothing moves under the pointer. The target stays in view while the pictures above it load.
 */
const useInView = (focused: boolean, index: number) => {
  const column = useRef<HTMLElement>(null);
  const shown = useRef(false);
  const pressed = useRef(false);
  const press = useCallback(() => {
    pressed.current = true;
  }, []);
  useLayoutEffect(() => {
    const element = column.current;
    const row = element?.parentElement;
    const first = !shown.current;
    const here = pressed.current;
    shown.current = true;
    pressed.current = false;
    if (!focused || !element || !row) return;
    const { offsetLeft, offsetWidth } = element;
    const right = offsetLeft + offsetWidth - row.clientWidth;
    row.scrollLeft = Math.min(offsetLeft, Math.max(right, row.scrollLeft));
    // After a new question the page shows its head; the first column was not chosen by the user.
    if (first ? index === 0 : here) return;
    const { top } = element.getBoundingClientRect();
    if (first) return keepInView(() => element, toHead);
    if (top < 0 || top > innerHeight / 2) element.scrollIntoView({ block: 'start' });
  }, [focused, index]);
  return { column, press };
};

/** Which of two policies wrote it; null if there is only one. */
const useSideName = ({ groupId }: Rollout): string | null => {
  const request = useAsk((state) => state.request);
  const policies = request?.policies;
  if (!policies || policies.length < 2) return null;
  return groupId === groupIdOf(request.runId, 0) ? 'before' : 'after';
};

/** Moves to the next event after the current one was shown long enough; stops at the last. */
const usePlaying = (rollout: Rollout): void => {
  const playing = useAsk((state) => state.playing);
  const step = useAsk((state) => state.address.step);
  useEffect(() => {
    if (!playing) return undefined;
    const event = step === null ? undefined : rollout.events[step];
    if (step !== null && step >= rollout.events.length - 1) {
      useAsk.setState({ playing: false });
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
const Playback = ({ rollout }: { rollout: Rollout }) => {
  const playing = useAsk((state) => state.playing);
  const step = useAsk((state) => state.address.step);
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

const Waterfall = onDemand(async () => ({
  default: (await import('../../kit/waterfall/Waterfall.tsx')).Waterfall,
}));

/** How the time of a rollout was spent; loaded when opened. */
const TimeLine = ({
  rollout,
  open,
}: {
  rollout: Rollout;
  /** Goes to an event. */
  open: (event: number) => void;
}) => {
  const [shown, setShown] = useState(false);
  const seconds = rollout.metrics?.seconds ?? null;
  return (
    <details className="column-time" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        Time by activity{seconds === null ? '' : `, ${formatSeconds(seconds)} in all`}
      </summary>
      {shown ? (
        <Guarded name="The chart of times">
          <Waterfall id={`waterfall-${rollout.id}`} record={rollout} open={open} />
        </Guarded>
      ) : null}
    </details>
  );
};

/** One rollout, from its verdict to its events. Memoised: only changed columns of a group are rendered again. */
export const RolloutColumn = memo((props: RolloutColumnProps) => {
  const { rollout, index, gold, finished, focused } = props;
  const addressStep = useAsk((state) => state.address.step);
  const selection = useAsk((state) => state.selection);
  const step = focused ? addressStep : null;
  const fork = useAsk((state) => state.forks[rollout.id]);
  const name = useSideName(rollout);
  const more = useAsk((state) => state.moreOpen);
  const replay = useAsk((state) => state.replay);
  const list = useRef<HTMLOListElement>(null);
  const { column, press } = useInView(focused, index);
  const rounds = eventRounds(rollout.events);
  const shown = replay === null ? rounds : rounds.slice(0, replay);
  const revealed = isRevealed(rollout, finished, replay);
  const mode = useMemo<ColourMode>(
    () =>
      props.largestAdvantage === null || rollout.advantage === null
        ? BY_WRITER
        : { by: 'advantage', advantage: rollout.advantage, largest: props.largestAdvantage },
    [props.largestAdvantage, rollout.advantage],
  );
  const until = step === null ? countTokens(rollout) : tokensUpTo(rollout, step);

  const select = useCallback(
    (event: number) => {
      focusIfOther(index);
      useAsk.getState().select({ kind: 'event', rolloutId: rollout.id, event });
    },
    [index, rollout.id],
  );
  const selectRound = useCallback(
    (round: number) => {
      focusIfOther(index);
      useAsk.getState().select({ kind: 'round', rolloutId: rollout.id, round });
    },
    [index, rollout.id],
  );
  const onPick = useCallback(
    (segment: number, token: number) =>
      useAsk.getState().select({ kind: 'token', rolloutId: rollout.id, segment, token }),
    [rollout.id],
  );
  const jump = (event: number) => {
    focusIfOther(index);
    useAsk.getState().setAddress({ step: event });
    select(event);
  };
  useEffect(() => {
    if (step === null) return;
    list.current?.querySelector('.part.current')?.scrollIntoView({ block: 'nearest' });
  }, [step]);

  const mine = selection?.rolloutId === rollout.id ? selection : null;
  const selected = mine?.kind === 'event' || mine?.kind === 'passage' ? mine.event : null;
  const chosen = mine?.kind === 'round' ? mine.round : null;
  return (
    <section
      ref={column}
      onPointerDownCapture={press}
      className={focused && props.grouped ? 'column focused' : 'column'}
      aria-label={`Rollout ${index + 1}`}
      data-finished={finished}
      data-rollout={rollout.id}
    >
      <div className="column-part">
        <header className="column-head">
          <button type="button" className="link strong" onClick={() => focusRollout(index)}>
            Rollout {index + 1}
          </button>
          <span className="fine" title="The seed of this rollout, drawn from the seed of the run">
            seed {rollout.seed}
          </span>
          {name === null ? null : <span className="fine ellipsis">{name}</span>}
          <span className="grow" />
          <button
            type="button"
            className="link"
            aria-expanded={more}
            title="Scores, tokens, events and times"
            onClick={() => useAsk.setState({ moreOpen: !more })}
          >
            {more ? 'less' : 'more'}
          </button>
        </header>
        {fork ? (
          <p className="fork-note" data-testid="fork-note">
            ↳ forked at event {fork.event + 1}: {fork.words}
          </p>
        ) : null}
        {revealed ? <VerdictLine rollout={rollout} gold={gold} more={more} /> : null}
        {revealed && more ? <TimeLine rollout={rollout} open={jump} /> : null}
      </div>
      <div className="column-part">
        {more ? (
          <>
            <GlyphRail rollout={rollout} step={step} jump={jump} />
            <TokenStrip rollout={rollout} until={until} onPick={onPick} mode={mode} />
          </>
        ) : null}
        {focused && rollout.events.length > 0 && (more || step !== null) ? (
          <Playback rollout={rollout} />
        ) : null}
      </div>
      <div className="column-part column-events">
        <ol className="rounds-of" ref={list}>
          {shown.map((round, at) => (
            <RoundCard
              key={at}
              round={round}
              at={at}
              events={rollout.events}
              gold={revealed ? gold : null}
              step={step}
              selected={selected}
              chosen={chosen === at}
              onSelect={select}
              onRound={selectRound}
            />
          ))}
        </ol>
        {finished || shown.length < rounds.length ? null : <LiveText rollout={rollout} />}
      </div>
    </section>
  );
});

/** Focuses only if the focus is elsewhere, because focusing ends playback. */
const focusIfOther = (index: number): void => {
  if (useAsk.getState().address.rollout !== index) focusRollout(index);
};
