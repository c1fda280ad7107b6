import { memo, type KeyboardEvent } from 'react';
import { cardOf } from './cards.ts';
import { EventBody } from './EventBody.tsx';
import type { EventBodyProps } from './parts/definition.ts';
import { Sign } from './Sign.tsx';

/** The rollout column owns this state, so that playback and keys can change any card. */
export interface EventCardProps extends EventBodyProps {
  open: boolean;
  /** After the current playback position. */
  ahead: boolean;
  /** Playback is on it. */
  current: boolean;
  selected: boolean;
  onToggle: (index: number) => void;
}

const figureOf = (props: EventCardProps): string =>
  cardOf(props.event).figure?.(props.event, props) ?? '';

/** A closed card depends only on its event, so streaming does not re-render it. */
const sameCard = (before: EventCardProps, after: EventCardProps): boolean =>
  before.event === after.event &&
  before.open === after.open &&
  before.ahead === after.ahead &&
  before.current === after.current &&
  before.selected === after.selected &&
  figureOf(before) === figureOf(after) &&
  (!after.open || (before.rollout === after.rollout && before.gold === after.gold));

/** The space bar always controls playback; Enter opens and closes a card. */
const keepSpace = (event: KeyboardEvent): void => {
  if (event.key === ' ') event.preventDefault();
};

const Card = (props: EventCardProps) => {
  const { event, index, open } = props;
  const card = cardOf(event);
  const glyph = card.glyph(event);
  const classes = [
    'card',
    open ? 'open' : '',
    props.ahead ? 'ahead' : '',
    props.current ? 'current' : '',
    props.selected ? 'selected' : '',
  ];
  return (
    <li className={classes.join(' ')} data-kind={event.kind} data-index={index}>
      <button
        type="button"
        className="card-line"
        aria-expanded={open}
        aria-current={props.current ? 'step' : undefined}
        onClick={() => props.onToggle(index)}
        onKeyUp={keepSpace}
      >
        <span className={`glyph tone-${glyph.tone}`} aria-hidden="true">
          <Sign sign={glyph.sign} />
        </span>
        <span className="card-name">{glyph.name}</span>
        <span className="card-text">{open && card.lineInBody ? '' : card.line(event)}</span>
        <span className="card-meta">{figureOf(props)}</span>
      </button>
      {open ? <EventBody {...props} /> : null}
    </li>
  );
};

/** One event: a line until opened. */
export const EventCard = memo(Card, sameCard);
