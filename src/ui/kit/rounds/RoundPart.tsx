import { memo, type ReactNode } from 'react';
import type { AgentEvent } from '../../../records/events.ts';
import type { Hit } from '../../../records/hits.ts';
import type { Question } from '../../../records/records.ts';
import { eventLine, glyphOf } from '../events/cards.ts';
import { isSupporting } from '../events/parts/support.ts';
import { Sign } from '../events/Sign.tsx';
import { Icon } from '../Icon.tsx';
import { MechanismTag } from './MechanismTag.tsx';
import { filterWords, guessWords, mechanismOf, passes, routeWords } from './round-words.ts';

/** Titles of passages; those of the gold chain are marked once gold is shown. */
const Titles = ({ hits, gold }: { hits: readonly Hit[]; gold: Question | null }) =>
  hits.length === 0 ? (
    <span className="fine">nothing found</span>
  ) : (
    <span className="titles">
      {hits.map(({ passage, source }, at) => (
        <span
          key={at}
          className={`title of-${source}${isSupporting(passage, gold) ? ' gold' : ''}`}
        >
          <Icon name={source} size={11} />
          {isSupporting(passage, gold) ? <span className="visually-hidden">gold: </span> : null}
          {passage.title}
        </span>
      ))}
    </span>
  );

/** The short content of an event; its details are in the pane. */
const content = (event: AgentEvent, gold: Question | null): ReactNode => {
  switch (event.kind) {
    case 'background':
      return <Titles hits={event.hits} gold={gold} />;
    case 'retrieve':
      return (
        <>
          <Titles hits={event.hits} gold={gold} />
          {event.leftOut ? (
            <span className="fine"> {event.leftOut.length} shown before, left out</span>
          ) : null}
        </>
      );
    case 'route':
      return routeWords(event);
    case 'verdict':
      return filterWords(event);
    case 'candidate':
      return guessWords(event.candidates);
    default:
      return eventLine(event);
  }
};

export interface RoundPartProps {
  event: AgentEvent;
  index: number;
  gold: Question | null;
  /** After the current playback position. */
  ahead: boolean;
  /** Playback is on it. */
  current: boolean;
  selected: boolean;
  onSelect: (index: number) => void;
}

/** One event of a round, as short as it can be; a click shows it in full. */
export const RoundPart = memo((props: RoundPartProps) => {
  const { event, index } = props;
  const glyph = glyphOf(event);
  const mechanism = mechanismOf(event);
  const classes = [
    'part',
    mechanism === null ? '' : `by-${mechanism}`,
    event.kind === 'route' ? `of-${event.choice}` : '',
    event.kind === 'retrieve' ? `of-${event.source}` : '',
    event.kind === 'verdict' && !passes(event) ? 'objects' : '',
    props.ahead ? 'ahead' : '',
    props.current ? 'current' : '',
    props.selected ? 'selected' : '',
  ];
  return (
    <button
      type="button"
      className={classes.join(' ')}
      data-kind={event.kind}
      data-index={index}
      aria-label={`${glyph.name}: ${eventLine(event)}`}
      aria-pressed={props.selected}
      aria-current={props.current ? 'step' : undefined}
      title={glyph.name}
      onClick={() => props.onSelect(index)}
    >
      <span className={`glyph tone-${glyph.tone}`} aria-hidden="true">
        <Sign sign={glyph.sign} />
      </span>
      {mechanism === null ? null : <MechanismTag id={mechanism} />}
      <span className="part-text">{content(event, props.gold)}</span>
    </button>
  );
});
