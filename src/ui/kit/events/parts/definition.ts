import type { ReactNode } from 'react';
import type { AgentEvent } from '../../../../records/events.ts';
import type { Question } from '../../../../records/records.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import type { IconName } from '../../Icon.tsx';

/** The event of each kind. */
type EventMap = { [E in AgentEvent as E['kind']]: E };

/** Kinds of events that a rollout records; each has one file in `kinds`. */
export type EventKind = keyof EventMap;

/** The event of kind `K`, or of any kind of a union. */
export type EventOf<K extends EventKind> = { [P in K]: EventMap[P] & { kind: P } }[K];

/** The icon of an event in the rail, and its name for screen readers. */
export interface Glyph {
  sign: IconName;
  name: string;
  /** The writer colour of the icon; `plain` for bookkeeping. */
  tone: 'policy' | 'environment' | 'hint' | 'good' | 'bad' | 'plain';
}

/**
 * An event within its rollout. `gold` marks answers and supporting titles if the question is known;
 * `firstSeen` maps passages to the event that first returned them.
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

/** Presentation of a kind of event. All event content is text; React escapes it. */
export interface CardDefinition<K extends EventKind> {
  glyph: (event: EventOf<K>) => Glyph;
  /** One summary line, for the closed card and screen readers. */
  line: (event: EventOf<K>) => string;
  /** The opened body repeats the line in full, so an opened card has no line. */
  lineInBody: boolean;
  /** The label at the right end of the card. */
  figure?: (event: EventOf<K>, at: Pick<EventBodyProps<K>, 'rollout' | 'index'>) => string;
  /** Not visible in the rollout's text, so the text view shows the card as well. */
  besideText: boolean;
  /** The body of the opened card. */
  Body: (props: EventBodyProps<K>) => ReactNode;
}
