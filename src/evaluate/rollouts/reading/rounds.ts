import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { AgentEvent } from '../../../records/events.ts';
import { roundsOf, type ReadPassage, type Round } from '../../../formats/rollouts/rounds.ts';
import { isClosed } from '../lint/facts.ts';
import { findPattern, phrasePattern, sentenceStretches, type Stretch } from './spans.ts';
import { itemAt } from '../../../base/items.ts';

/** The rounds of a rollout with what a reader looks for in them: evidence, repetition, gain. */

/** A retrieved passage. Spans are offsets in its segment's text. */
export interface PassageReading extends ReadPassage {
  /** Where its own text begins, behind number and title. */
  bodyAt: number;
  /** Its title is one of the question's supporting titles. */
  supporting: boolean;
  /** Where a gold answer stands; yes and no are not looked for. */
  answers: Stretch[];
  /** Sentences that hold a gold answer, or, in a supporting passage, name another supporting title. */
  sentences: Stretch[];
  /** Earlier round that had brought the same passage; null where it is new. */
  seenIn: number | null;
  /** Name of that round; null as it is. */
  seenAt: string | null;
}

/** What one search added to what was known. */
export interface Gain {
  passages: number;
  /** Passages that no earlier round had. */
  fresh: number;
  /** Supporting titles read first in this round; null where the question names none. */
  newSupporting: string[] | null;
  /** A gold answer is in a passage of this round and was in none before. */
  answerFirst: boolean;
}

export interface RoundReading extends Omit<Round, 'passages'> {
  /** "search 2", by the search that was made in it; "answer" of a last round without one. */
  name: string;
  passages: PassageReading[];
  /** Null where the round read nothing. */
  gain: Gain | null;
}

/** Passages longer than this are not searched to their end: they are not passages. */
const LONGEST = 200_000;

/** Results cut one passage at different places; its title and how it begins tell it. */
export const passageKey = ({ title, text }: Pick<ReadPassage, 'title' | 'text'>): string =>
  `${title}\n${text.slice(0, 80)}`;

const overlaps = (a: Stretch, b: Stretch): boolean => a.start < b.end && b.start < a.end;

interface Gold {
  answers: RegExp[];
  titles: { title: string; pattern: RegExp | null }[];
}

/** Names that are looked for; more than these are no gold answers but an attack on the reader's time. */
const MOST_NAMES = 64;

function goldOf({ answers, supporting }: ImportedRollout['question']): Gold {
  const looked = isClosed(answers) ? [] : [...new Set(answers)].slice(0, MOST_NAMES);
  return {
    answers: looked.flatMap((answer) => phrasePattern(answer) ?? []),
    titles: [...new Set(supporting)]
      .slice(0, MOST_NAMES)
      .map((title) => ({ title, pattern: phrasePattern(title) })),
  };
}

function readPassage(
  passage: ReadPassage,
  text: string,
  { answers, titles }: Gold,
): Omit<PassageReading, 'seenIn' | 'seenAt'> {
  const bodyAt = passage.end - passage.text.length;
  const body = text.slice(bodyAt, Math.min(passage.end, bodyAt + LONGEST));
  const shift = ({ start, end }: Stretch): Stretch => ({
    start: start + bodyAt,
    end: end + bodyAt,
  });
  const supporting = titles.some(({ title }) => title === passage.title);
  const found = answers.flatMap((answer) => findPattern(body, answer));
  const others = supporting
    ? titles.flatMap(({ title, pattern }) =>
        pattern && title !== passage.title ? findPattern(body, pattern) : [],
      )
    : [];
  const telling = [...found, ...others];
  const sentences =
    telling.length === 0
      ? []
      : sentenceStretches(body).filter((sentence) =>
          telling.some((one) => overlaps(one, sentence)),
        );
  return {
    ...passage,
    bodyAt,
    supporting,
    answers: found.map(shift),
    sentences: sentences.map(shift),
  };
}

/**
 * The number of searches made with each segment: by the routes of its record, or, where it has none for what it
 * retrieved, by the queries of its text.
 */
function searchesBySegment({
  segments,
  events,
}: Pick<ImportedRollout, 'segments' | 'events'>): number[] {
  const has = (kind: AgentEvent['kind']) => events?.some((event) => event.kind === kind) ?? false;
  const byText = events === undefined || (has('retrieve') && !has('route'));
  const counts = segments.map(({ source, role }) =>
    Number(byText && source === 'policy' && role === 'search'),
  );
  for (const event of events ?? [])
    if (event.kind === 'route' && event.of === undefined) {
      // The question's own search comes before anything is written.
      const at = Math.min(event.segment ?? 0, counts.length - 1);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  return counts;
}

/** Names of rounds by the searches in them, so that they agree with `countSearches`. */
function roundNames(
  rounds: readonly Round[],
  rollout: Pick<ImportedRollout, 'segments' | 'events'>,
): string[] {
  const counts = searchesBySegment(rollout);
  let made = 0;
  return rounds.map(({ segments }, at) => {
    const here = segments.reduce((sum, segment) => sum + (counts[segment] ?? 0), 0);
    made += here;
    if (here === 1) return `search ${made}`;
    if (here > 1) return `searches ${made - here + 1} to ${made}`;
    return at === rounds.length - 1 ? 'answer' : `round ${at + 1}, no search`;
  });
}

/** The rounds with evidence marked, repeated passages linked and the marginal gain of each search. */
export function readRounds(
  rollout: Pick<ImportedRollout, 'segments' | 'origin' | 'question' | 'events'>,
): RoundReading[] {
  const rounds = roundsOf(rollout);
  const names = roundNames(rounds, rollout);
  const { supporting } = rollout.question;
  const gold = goldOf(rollout.question);
  const seen = new Map<string, number>();
  const titles = new Set<string>();
  let answered = false;
  return rounds.map((round, at) => {
    const name = itemAt(names, at, 'names');
    const passages = round.passages.map((passage): PassageReading => {
      const key = passageKey(passage);
      const earlier = seen.get(key) ?? null;
      if (earlier === null) seen.set(key, round.number);
      const text = itemAt(rollout.segments, passage.segment, 'segments').text;
      // The same passage twice in one result is no link to an earlier round.
      const seenIn = earlier === round.number ? null : earlier;
      return {
        ...readPassage(passage, text, gold),
        seenIn,
        seenAt: seenIn === null ? null : itemAt(names, seenIn, 'names'),
      };
    });
    if (passages.length === 0) return { ...round, name, passages, gain: null };
    const fresh = passages.filter(({ seenIn }) => seenIn === null).length;
    const added = supporting.filter(
      (title) => !titles.has(title) && passages.some((passage) => passage.title === title),
    );
    for (const title of added) titles.add(title);
    const holds = passages.some((passage) => passage.answers.length > 0);
    const answerFirst = holds && !answered;
    answered ||= holds;
    const newSupporting = supporting.length === 0 ? null : added;
    return {
      ...round,
      name,
      passages,
      gain: { passages: passages.length, fresh, newSupporting, answerFirst },
    };
  });
}

export const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;

/** The gain as text: "3 of 5 passages new, first with the answer". */
export function gainInWords({ passages, fresh, newSupporting, answerFirst }: Gain): string {
  const parts = [`${fresh} of ${passages} passages new`];
  if (newSupporting !== null)
    parts.push(
      newSupporting.length === 0
        ? 'no new supporting title'
        : `new supporting: ${newSupporting.join(', ')}`,
    );
  if (answerFirst) parts.push('first with a gold answer');
  else if (fresh === 0) parts.push('nothing gained');
  return parts.join(' · ');
}
