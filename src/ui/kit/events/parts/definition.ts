import type { ReactNode } from 'react';
import type { AgentEvent } from '../../../../records/events.ts';
import type { Question } from '../../../../records/records.ts';
import type { Rollout } from '../../../../records/rollout.ts';

/** The event of each kind. */
type EventMap = { [E in AgentEvent as E['kind']]: E };

/** Kinds of events that a rollout records; each has one file in `kinds`. */
export type EventKind = keyof EventMap;

/** The event of kind `K`; of several kinds, any of theirs. */
export type EventOf<K extends EventKind> = { [P in K]: EventMap[P] & { kind: P } }[K];

/** The sign of an event in the rail, and its name for people who do not see the sign. */
export interface Glyph {
  sign: string;
  name: string;
  /** Which colour of the code "who wrote it" the sign carries; `plain` for bookkeeping. */
  tone: 'policy' | 'environment' | 'hint' | 'good' | 'bad' | 'plain';
}

/**
 * An event within its rollout. `gold` marks answers and supporting titles where the world knows the
 * question; `firstSeen` says which event first brought a passage.
 */
export interface EventBodyProps<K extends EventKind = EventKind> {
  rollout: Rollout;
  index: number;
  event: EventOf<K>;
  gold: Question | null;
  firstSeen: ReadonlyMap<string, { event: number; search: number }>;
  onEvent: (event: number) => void;
  onPassage: (event: number, hit: number) => void;
}

/** How a kind of event looks. Whatever it says of the event is text; React escapes it. */
export interface CardDefinition<K extends EventKind> {
  glyph: (event: EventOf<K>) => Glyph;
  /** One line that says what happened, for the closed card and for screen readers. */
  line: (event: EventOf<K>) => string;
  /** The opened body says the line in full, so that the line of an opened card stays empty. */
  lineInBody: boolean;
  /** The figure at the right end of the card. */
  figure?: (event: EventOf<K>, at: Pick<EventBodyProps<K>, 'rollout' | 'index'>) => string;
  /** The text of the rollout does not tell it, so that a reader of the text sees the card beside it. */
  besideText: boolean;
  /** The opened part of the card. */
  Body: (props: EventBodyProps<K>) => ReactNode;
}
