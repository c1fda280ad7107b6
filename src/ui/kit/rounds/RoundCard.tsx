import { memo } from 'react';
import type { AgentEvent } from '../../../records/events.ts';
import type { Question } from '../../../records/records.ts';
import type { EventRound } from '../../../records/rounds.ts';
import { RoundPart } from './RoundPart.tsx';
import { roundName } from './round-words.ts';
import './rounds.css';

interface RoundCardProps {
  round: EventRound;
  /** Position of the round in its rollout, from 0. */
  at: number;
  events: readonly AgentEvent[];
  /** Null while gold is not shown. */
  gold: Question | null;
  /** Playback position; null: off. */
  step: number | null;
  /** The event in the details, if it is of this rollout. */
  selected: number | null;
  /** The whole round is in the details. */
  chosen: boolean;
  /** Shows an event in full. */
  onSelect: (index: number) => void;
  /** Shows the whole round. */
  onRound: (at: number) => void;
}

const within = ({ from, to }: EventRound, index: number | null): number | null =>
  index !== null && index >= from && index < to ? index : null;

/** How much of the round playback has reached, as one number. */
const reached = ({ from, to }: EventRound, step: number | null): number =>
  step === null ? to : Math.min(to, Math.max(from - 1, step));

/** A card depends only on its own events, so streaming renders no other card. */
const sameCard = (before: RoundCardProps, after: RoundCardProps): boolean =>
  before.round.from === after.round.from &&
  before.round.to === after.round.to &&
  before.round.kind === after.round.kind &&
  before.round.search === after.round.search &&
  before.gold === after.gold &&
  before.chosen === after.chosen &&
  before.onSelect === after.onSelect &&
  before.onRound === after.onRound &&
  within(before.round, before.selected) === within(after.round, after.selected) &&
  reached(before.round, before.step) === reached(after.round, after.step) &&
  (before.step === null) === (after.step === null) &&
  before.events
    .slice(before.round.from, before.round.to)
    .every((event, i) => event === after.events[after.round.from + i]);

/** One round of a rollout: thought, query, source, passages, and what STIE said of them. */
export const RoundCard = memo((props: RoundCardProps) => {
  const { round, events, step } = props;
  const own = events.slice(round.from, round.to);
  const answered = own.some(({ kind }) => kind === 'answer');
  const name = roundName(round, answered);
  return (
    <li
      className={`round-card ${round.kind}${props.chosen ? ' chosen' : ''}`}
      data-round={props.at}
      data-search={round.search ?? undefined}
      aria-label={name}
    >
      <button
        type="button"
        className="round-name"
        aria-pressed={props.chosen}
        onClick={() => props.onRound(props.at)}
      >
        {name}
      </button>
      {own.map((event, i) => {
        const index = round.from + i;
        return (
          <RoundPart
            key={index}
            event={event}
            index={index}
            gold={props.gold}
            ahead={step !== null && index > step}
            current={step === index}
            selected={props.selected === index}
            onSelect={props.onSelect}
          />
        );
      })}
    </li>
  );
}, sameCard);
