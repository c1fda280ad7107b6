import type { RolloutTexts } from '../../../formats/rollouts/own-schema.ts';
import type { ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import { outsideAnswer } from '../../../records/outside-answer.ts';
import { findPattern } from './spans.ts';

/** Where a rollout has some words: in its question, its answer, or any text that was written or read. */

/** A piece of a text around the first place of the words; `match` is empty where the text lacks them. */
export interface Excerpt {
  before: string;
  match: string;
  after: string;
}

export interface MatchingRollout {
  id: string;
  step: number | null;
  question: Excerpt;
  answer: Excerpt | null;
  /** Prose outside the tags in place of an answer. */
  outside?: Excerpt;
  /** The segment that shows the words best; null where only question or answer has them. */
  segment: (Pick<ImportedSegment, 'role' | 'source'> & { at: number; text: Excerpt }) | null;
  /** Places in the segments; where none has the words, in question and answer. */
  count: number;
}

/** Characters of an excerpt on either side of the words; what follows tells more. */
const BEFORE = 60;
const AFTER = 140;

/** Characters that a cut moves for a word to be whole; scripts without spaces have longer ones. */
const WORD = 20;

/** A cut never stands within a pair of surrogates. */
const wholeFrom = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;

/** Where the piece before the words begins: at the first whole word. */
function beginOf(text: string, start: number): number {
  const from = Math.max(0, start - BEFORE);
  if (from === 0) return 0;
  const space = text.slice(from - 1, Math.min(start, from + WORD)).search(/\s/);
  return space < 0 ? wholeFrom(text, from) : from + space;
}

/** Where the piece after the words ends. */
function endOf(text: string, end: number): number {
  const to = Math.min(text.length, end + AFTER);
  if (to === text.length) return to;
  const space = text.slice(to - WORD, to + 1).search(/\s\S*$/);
  return space < 0 ? wholeFrom(text, to) : to - WORD + space;
}

/** A segment's role says what the tags around it say. */
const OPENING = /^\s*<[^<>\s]{1,40}>/;
const CLOSING = /<\/?[^<>\s]{1,40}>\s*$/;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function excerptOf(text: string, pattern: RegExp): Excerpt {
  const found = findPattern(text, pattern, 1)[0] ?? { start: 0, end: 0 };
  const from = beginOf(text, found.start);
  const to = endOf(text, found.end);
  const before = text.slice(from, found.start);
  const after = text.slice(found.end, to);
  return {
    before: `${from > 0 ? '…' : ''}${oneLine(from > 0 ? before : before.replace(OPENING, '')).trimStart()}`,
    match: oneLine(text.slice(found.start, found.end)),
    after: `${oneLine(to < text.length ? after : after.replace(CLOSING, '')).trimEnd()}${to < text.length ? '…' : ''}`,
  };
}

const has = (text: string, pattern: RegExp): boolean => findPattern(text, pattern, 1).length > 0;

/** One by one: a long text has millions of places of a short word. */
function countIn(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}

/** Ranks text of the policy above its inputs, and those above the shared prompt. */
const ORDER: readonly ImportedSegment['source'][] = ['policy', 'environment', 'prompt'];

/**
 * Where a rollout has some words; null where it has them nowhere.
 * @param pattern of `textPattern`
 */
export function findInRollout(rollout: RolloutTexts, pattern: RegExp): MatchingRollout | null {
  const { id, step, question, answer, segments } = rollout;
  const asked = has(question.text, pattern);
  const outside = outsideAnswer(rollout);
  const answered = answer !== null && has(answer, pattern);
  const found = segments.flatMap(({ text, source, role }, at) => {
    const count = countIn(text, pattern);
    return count === 0 ? [] : [{ text, source, role, at, count }];
  });
  if (!asked && !answered && found.length === 0) return null;
  const best = ORDER.flatMap((source) => found.filter((one) => one.source === source))[0];
  const inSegments = found.reduce((sum, { count }) => sum + count, 0);
  return {
    id,
    step,
    question: excerptOf(question.text, pattern),
    answer: answer === null ? null : excerptOf(answer.trim(), pattern),
    ...(outside !== null && { outside: excerptOf(outside, pattern) }),
    segment: best
      ? { role: best.role, source: best.source, at: best.at, text: excerptOf(best.text, pattern) }
      : null,
    count:
      inSegments > 0
        ? inSegments
        : countIn(question.text, pattern) + (answer === null ? 0 : countIn(answer, pattern)),
  };
}
