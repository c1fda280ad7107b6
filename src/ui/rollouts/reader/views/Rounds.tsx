import { useLocalStorage } from '@mantine/hooks';
import { memo, useEffect, useMemo, useRef, useContext, useState } from 'react';
import type { AgentEvent } from '../../../../records/events.ts';
import { isOwnRollout, type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { type Finding, LINTS } from '../../../../evaluate/rollouts/lint/finding.ts';
import {
  gainInWords,
  type PassageReading,
  capital,
  type RoundReading,
} from '../../../../evaluate/rollouts/reading/rounds.ts';
import { protocolOf } from '../../../../formats/rollouts/rounds.ts';
import { blockText } from '../../../../formats/rollouts/protocols/split.ts';
import { Sign } from '../../../kit/events/Sign.tsx';
import type { IconName } from '../../../kit/Icon.tsx';
import { RoundList } from '../../../kit/rounds/RoundList.tsx';
import { formatCount } from '../../../kit/words/format.ts';
import { writerOf } from '../../../kit/tokens/layout.ts';
import { WRITER_NAMES } from '../../../kit/tokens/TokenStrip.tsx';
import { MarkedText, type TextMark } from '../parts/MarkedText.tsx';
import { cardOf } from '../../../kit/events/cards.ts';
import { EventActions } from '../../../kit/events/parts/actions.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { EventCard } from '../../../kit/events/EventCard.tsx';
import { firstSeen } from '../../../kit/events/parts/support.ts';

interface EventListProps {
  rollout: Rollout;
  /** Indices of its events. */
  indices: readonly number[];
  /** Goes to an event that a card refers to. */
  go: (index: number) => void;
}

/** Some events of a finished rollout, one card each; the list owns which are open. */
const EventList = memo((props: EventListProps) => {
  const { rollout, indices, go } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const seen = useMemo(() => firstSeen(rollout.events), [rollout.events]);
  const toggle = (index: number) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(index)) next.add(index);
      return next;
    });
  return (
    <ol className="timeline own-events">
      {indices.map((index) => {
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
            onEvent={go}
            onPassage={go}
          />
        ) : null;
      })}
    </ol>
  );
});

/**
 * Events that the text alone does not tell (routing, STIE, probes, calls, the end), as indices by the
 * segment after which they are shown.
 */
export const ownEventsBySegment = (events: readonly AgentEvent[]): Map<number, number[]> => {
  const lists = new Map<number, number[]>();
  let segment = 0;
  events.forEach((event, index) => {
    segment = event.segment ?? segment;
    if (!cardOf(event).besideText) return;
    const list = lists.get(segment);
    if (list) list.push(index);
    else lists.set(segment, [index]);
  });
  return lists;
};

interface OwnEventsProps {
  rollout: Rollout;
  events: readonly number[];
  /** Goes to a segment. */
  goEvent: (segment: number) => void;
}

/** The main job's cards. */
const OwnEvents = memo(({ rollout, events, goEvent }: OwnEventsProps) => (
  <EventList
    rollout={rollout}
    indices={events}
    go={(index) => goEvent(rollout.events[index]?.segment ?? 0)}
  />
));

/** Characters of one block that are drawn; the text view has them all. */
const MOST_SHOWN = 12_000;
/** Passages and rounds that are drawn. */
const MOST_PASSAGES = 40;
const MOST_ROUNDS = 120;

/** An icon per role, so that the order of events can be seen without reading. Roles of other systems have a dot. */
const SIGNS: Record<string, IconName> = {
  think: 'think',
  search: 'search',
  result: 'passages',
  background: 'background',
  answer: 'answer',
  hint: 'hint',
  refine: 'summary',
  evidence: 'quote',
};

/** Findings that lie in a segment, as marks on its text. */
const faultMarks = (findings: readonly Finding[], segment: number): TextMark[] =>
  findings.flatMap(({ code, where }) =>
    where
      .filter((span) => span.segment === segment)
      .map(({ start, end }) => ({ start, end, kind: 'fault', title: LINTS[code].title })),
  );

/**
 * A finding of the linter with its reason. `kind` tells implementation fault, which makes
 * training wrong, from behaviour that the policy may learn.
 */
const FindingNote = ({ finding }: { finding: Finding }) => {
  const { kind, title, why } = LINTS[finding.code];
  return (
    <p className={`finding ${kind}`}>
      <b>⚠ {title}</b>{' '}
      <span className="fine">
        ({kind === 'fault' ? 'implementation fault' : 'search behaviour'})
      </span>{' '}
      {finding.message} <span className="fine">{why}</span>
    </p>
  );
};

/**
 * A passage within the text of a result; it is drawn from the segment’s text by position, so that
 * marks of the whole segment fit.
 */
interface PassageProps {
  passage: PassageReading;
  text: string;
  faults: readonly TextMark[];
  goRound: (round: number) => void;
}

/**
 * What was found: which title, whether it is a gold one, whether it holds the answer, and whether
 * an earlier round had it.
 */
const Passage = memo(({ passage, text, faults, goRound }: PassageProps) => {
  const { title, supporting, answers, sentences, seenIn, seenAt, bodyAt, end } = passage;
  const marks = useMemo<TextMark[]>(
    () => [
      ...sentences.map((span) => ({
        ...span,
        kind: 'supports' as const,
        title: supporting ? 'supporting sentence' : 'sentence with a gold answer',
      })),
      ...answers.map((span) => ({ ...span, kind: 'answer' as const, title: 'gold answer' })),
      ...faults,
    ],
    [sentences, answers, supporting, faults],
  );
  return (
    <li>
      <div className="passage-head">
        {title === '' ? null : (
          <b className="passage-title">
            <MarkedText text={title} marks={[]} />
          </b>
        )}
        {supporting ? <span className="badge good">✓ gold title</span> : null}
        {answers.length > 0 ? <span className="badge good">✓ holds the answer</span> : null}
        {seenIn === null ? null : (
          <button type="button" className="link" onClick={() => goRound(seenIn)}>
            seen in {seenAt}
          </button>
        )}
      </div>
      <p className="passage-text">
        <MarkedText
          text={text}
          from={bodyAt}
          to={Math.min(end, bodyAt + MOST_SHOWN)}
          marks={marks}
        />
        {end - bodyAt > MOST_SHOWN ? ' …' : ''}
      </p>
    </li>
  );
});

/** The text without the tags around it; with them where a finding is about one of them. */
const insideOf = (
  rollout: ImportedRollout,
  text: string,
  marks: readonly TextMark[],
): { from: number; to: number } => {
  const inner = blockText(text, protocolOf(rollout));
  const [from, to] = [inner.start, inner.start + inner.text.length];
  const shows = text.slice(from, to) === inner.text;
  return shows &&
    marks.every(({ start, end }) => (start >= from && end <= to) || (start <= from && end >= to))
    ? { from, to }
    : { from: 0, to: text.length };
};

interface BlockProps {
  rollout: ImportedRollout;
  index: number;
  passages: readonly PassageReading[];
  findings: readonly Finding[];
  events: readonly number[];
  current: boolean;
  /** The tags around a block are shown too. */
  tags: boolean;
  readText: (segment: number) => void;
  goRound: (round: number) => void;
  goEvent: (event: number) => void;
}

/** What is offered for the event whose text a segment is; those beside the text have cards of their own. */
const TextActions = ({ rollout, segment }: { rollout: ImportedRollout; segment: number }) => {
  const actions = useContext(EventActions);
  if (!actions || !isOwnRollout(rollout) || rollout.segments[segment]?.source !== 'policy')
    return null;
  const event = rollout.events.findIndex(
    (one) => one.segment === segment && !cardOf(one).besideText,
  );
  return event < 0 ? null : actions(rollout, event);
};

/** One event of the rollout: what was thought, asked, read or answered. */
const Block = memo((props: BlockProps) => {
  const { rollout, index, passages, findings } = props;
  const segment = rollout.segments[index]!;
  const { role, text, ids, tokens } = segment;
  const writer = writerOf(segment as Parameters<typeof writerOf>[0]);
  const marks = useMemo(() => faultMarks(findings, index), [findings, index]);
  const count = ids?.length ?? tokens?.length;
  // Findings without a place are about the rollout as a whole and are at the top.
  const own = findings.filter(({ where }) => where.some((span) => span.segment === index));
  // Passages are cut one by one; only running text is cut as a whole.
  const { from, to } = props.tags ? { from: 0, to: text.length } : insideOf(rollout, text, marks);
  const cut = passages.length === 0 && to - from > MOST_SHOWN;
  return (
    <section
      className={`block who-edge-${writer}${props.current ? ' current' : ''}`}
      id={`event-${index + 1}`}
      tabIndex={-1}
      aria-label={`${role}, event ${index + 1}`}
      aria-current={props.current ? 'step' : undefined}
    >
      <header className="block-head">
        <span className="glyph" aria-hidden="true">
          <Sign sign={SIGNS[role] ?? 'text'} />
        </span>
        <h3>{role}</h3>
        <span className="fine">
          {WRITER_NAMES[writer]}
          {count === undefined ? '' : ` · ${formatCount(count)} tokens`}
          {segment.mask === undefined ? '' : segment.mask === 1 ? ' · trained' : ' · mask 0'}
        </span>
        <span className="grow" />
        <button type="button" className="link" onClick={() => props.goEvent(index)}>
          link
          <span className="visually-hidden"> to event {index + 1}</span>
        </button>
      </header>
      {passages.length > 0 ? (
        <ol className="passages">
          {passages.slice(0, MOST_PASSAGES).map((passage) => (
            <Passage
              key={passage.start}
              passage={passage}
              text={text}
              faults={marks}
              goRound={props.goRound}
            />
          ))}
        </ol>
      ) : (
        <p className="prose">
          {from === to ? <span className="fine">empty</span> : null}
          <MarkedText text={text} from={from} to={cut ? from + MOST_SHOWN : to} marks={marks} />
        </p>
      )}
      {cut || passages.length > MOST_PASSAGES ? (
        <p>
          <button type="button" className="link" onClick={() => props.readText(index)}>
            {cut
              ? `… ${formatCount(to - from - MOST_SHOWN)} more characters: see “Text”`
              : `… ${passages.length - MOST_PASSAGES} more passages: see “Text”`}
          </button>
        </p>
      ) : null}
      {own.map((finding, at) => (
        <FindingNote key={at} finding={finding} />
      ))}
      <TextActions rollout={rollout} segment={index} />
      {isOwnRollout(rollout) && props.events.length > 0 ? (
        <OwnEvents rollout={rollout} events={props.events} goEvent={props.goEvent} />
      ) : null}
    </section>
  );
});

/** The segment of an event; of one without a segment, such as a probe, that of the one before it. */
const segmentOf = (events: readonly AgentEvent[], index: number): number | null =>
  events.slice(0, index + 1).findLast(({ segment }) => segment !== undefined)?.segment ?? null;

const NO_EVENTS: AgentEvent[] = [];
const NONE: number[] = [];

/**
 * `event` comes from the address, and a change of it scrolls there: links to an event work from
 * outside too.
 */
interface RoundsProps {
  rollout: ImportedRollout;
  rounds: readonly RoundReading[];
  findings: readonly Finding[];
  /** Chosen event, a segment. */
  event: number | null;
  readText: (segment: number) => void;
  goEvent: (event: number) => void;
}

/**
 * The rollout as rounds of thinking, asking and reading; the default view. Long rollouts are cut:
 * blocks beyond the limits are one click away in the text view, which draws only what is on the
 * screen.
 */
export const Rounds = ({ rollout, rounds, findings, event, readText, goEvent }: RoundsProps) => {
  const box = useRef<HTMLDivElement>(null);
  const events = useMemo(() => ownEventsBySegment(rollout.events ?? NO_EVENTS), [rollout.events]);
  useEffect(() => {
    if (event === null) return;
    const element = box.current?.querySelector<HTMLElement>(`#event-${event + 1}`);
    element?.scrollIntoView({ block: 'center' });
    // Focus goes along, so that the next Tab starts here; scrolling was done above, in the middle.
    element?.focus({ preventScroll: true });
  }, [event]);
  // "Seen in round n" leads to the passages of that round, not to its thought.
  const goRound = (round: number) => {
    const first = rounds[round]?.passages[0]?.segment ?? rounds[round]?.segments[0];
    if (first !== undefined) goEvent(first);
  };
  const [tags, setTags] = useLocalStorage({ key: 'forage-rollout-tags', defaultValue: false });
  /** Some models write an empty block before they act; it is shown with the tags, and where something is about it. */
  const saysSomething = (index: number): boolean => {
    const text = rollout.segments[index]?.text ?? '';
    const { from, to } = insideOf(rollout, text, []);
    return (
      text.slice(from, to).trim() !== '' ||
      index === event ||
      events.has(index) ||
      findings.some(({ where }) => where.some(({ segment }) => segment === index))
    );
  };
  const loose = findings.filter(({ where }) => where.length === 0);
  return (
    <div className="rounds" ref={box}>
      <p className="rounds-bar">
        <button
          type="button"
          className="link"
          aria-pressed={tags}
          title="Tags of the format, such as <think>"
          onClick={() => setTags(!tags)}
        >
          {tags ? 'hide tags' : 'show tags'}
        </button>
      </p>
      {loose.map((finding, at) => (
        <FindingNote key={at} finding={finding} />
      ))}
      {isOwnRollout(rollout) && rollout.events.length > 0 ? (
        <RoundList
          rollout={rollout}
          go={(index) => {
            const segment = segmentOf(rollout.events, index);
            if (segment !== null) goEvent(segment);
          }}
        />
      ) : null}
      {rounds.length === 0 ? <p>This rollout has no text.</p> : null}
      {rounds.slice(0, MOST_ROUNDS).map((round) => (
        <section key={round.number} className="round" aria-label={capital(round.name)}>
          <header className="round-head">
            <h2>{capital(round.name)}</h2>
            {round.gain ? <span className="fine">{gainInWords(round.gain)}</span> : null}
          </header>
          {round.segments
            .filter((index) => tags || saysSomething(index))
            .map((index) => (
              <Block
                key={index}
                rollout={rollout}
                index={index}
                passages={round.passages.filter(({ segment }) => segment === index)}
                findings={findings}
                events={events.get(index) ?? NONE}
                current={event === index}
                tags={tags}
                readText={readText}
                goRound={goRound}
                goEvent={goEvent}
              />
            ))}
        </section>
      ))}
      {rounds.length > MOST_ROUNDS ? (
        <p>
          <button
            type="button"
            className="link"
            onClick={() => readText(rounds[MOST_ROUNDS]!.segments[0]!)}
          >
            … {formatCount(rounds.length - MOST_ROUNDS)} more rounds: see “Text”
          </button>
        </p>
      ) : null}
    </div>
  );
};
