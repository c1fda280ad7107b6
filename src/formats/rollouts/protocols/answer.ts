import { itemAt } from '../../../base/items.ts';
import type { ImportedSegment } from '../shape/imported.ts';
import { boxesIn } from './boxes.ts';
import { boxAnswer, hashAnswer, answerInProse } from './prose.ts';
import type { Protocol } from './protocol.ts';
import { blockText } from './split.ts';
import { isThought } from './thoughts.ts';

const PHRASE = /the correct answer is:\s*([^\n]+)/gi;

/** What the policy's text of one segment gives as answers by its protocol's rule, in order. */
function answersIn(segment: ImportedSegment, protocol: Protocol | null, prompt: string): string[] {
  if (protocol === null) return [];
  if (protocol.answer === 'boxed-prose') {
    if (isThought(segment, protocol)) return [];
    const boxes = boxesIn(segment.text).map(({ text }) => text.trim());
    if (boxes.length > 0) return boxes;
    return [...segment.text.matchAll(PHRASE)].map((match) => itemAt(match, 1).trim());
  }
  if (segment.role !== 'answer') return [];
  const inner = blockText(segment.text, protocol).text;
  if (protocol.answer === 'any') return [boxAnswer(inner) ?? inner];
  if (protocol.answer === 'final') return [finalAnswer(inner, prompt) ?? ''];
  if (protocol.answer === 'block') return [inner];
  const boxes = boxesIn(inner).map(({ text }) => text.trim());
  // The prompt of ReSearch asks for a box. Others ask for the same tags without one.
  const plain = protocol.answer === 'box-or-block' && !/\\boxed/.test(prompt);
  return boxes.length === 0 && plain ? [inner] : boxes;
}

const tagAnswer = (text: string): string | null => {
  const end = text.lastIndexOf('</answer>');
  const start = text.lastIndexOf('<answer>', end);
  return start < 0 || end < 0 ? null : text.slice(start + '<answer>'.length, end).trim();
};

/** Places of an answer that a prompt names; the last of them that the text fills is the answer. */
const PLACES = [
  { named: /<answer>/, read: null },
  { named: /\\boxed/, read: boxAnswer },
  // Headings of a prompt begin so too.
  { named: /(?:["'`]|after |with )####|####\s{0,4}(?:[<{[\d]|answer)/i, read: hashAnswer },
  { named: /finish\[/i, read: null },
  { named: null, read: answerInProse },
] as const;

/** Whether the prompt says where the answer is to stand: a text without it there then gives none. */
const namesPlace = (prompt: string): boolean =>
  PLACES.some(({ named }) => named?.test(prompt) === true);

/** Whether the protocol leaves it open where the answer is. */
const isOpen = (protocol: Protocol | null): boolean =>
  protocol === null || protocol.answer === 'any' || protocol.answer === 'final';

/** What the policy said last, outside thoughts and calls; empty where it ends with one of those. */
function lastWords(segments: readonly ImportedSegment[], protocol: Protocol | null): string {
  const last = segments.findLast(({ text }) => text.trim() !== '');
  if (last?.source !== 'policy' || last.role === 'search') return '';
  return isThought(last, protocol) ? '' : last.text;
}

/** What the policy said, without thoughts and calls. */
const proseOf = (own: readonly ImportedSegment[], protocol: Protocol | null): string =>
  own
    .filter((segment) => segment.role !== 'search' && !isThought(segment, protocol))
    .map(({ text }) => text)
    .join('\n');

/** An answer in prose that no block marks. Only places that the prompt names count, where it names any. */
function markedAnswer(text: string, end: string, prompt: string): string | null {
  const told = namesPlace(prompt);
  for (const { named, read } of PLACES) {
    if (read === null || (told && named?.test(prompt) !== true)) continue;
    const answer = read(named === null ? end : text);
    if (answer !== null) return answer;
  }
  return null;
}

/** A longer message, or one of several lines, is prose in which the answer would have to be marked. */
const LONGEST_FINAL = 100;

/** The answer of a final message: what a tag, a box or a sentence marks in it, else all of a short one. */
function finalAnswer(text: string, prompt: string): string | null {
  const tagged = tagAnswer(text);
  if (tagged !== null) return tagged;
  const marked = markedAnswer(text, text, prompt);
  if (marked !== null || namesPlace(prompt)) return marked;
  return text.length > LONGEST_FINAL || text.includes('\n') ? null : text;
}

/**
 * The last answer that the policy gave by its protocol's rule; null without one. Prompt and environment
 * are never searched for it, so that the example in a prompt is not an answer; the prompt only says which
 * place counts.
 */
export function readAnswer(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
  prompt = '',
): string | null {
  const own = segments.filter(({ source }) => source === 'policy');
  for (const segment of own.toReversed()) {
    const last = answersIn(segment, protocol, prompt).findLast((one) => one !== '');
    if (last !== undefined) return last;
  }
  if (isOpen(protocol))
    return markedAnswer(proseOf(own, protocol), lastWords(own, protocol), prompt);
  // Search tags of one system with another's box: the answer is plain where no place was named.
  const named = own.some(({ role }) => role === 'answer') || namesPlace(prompt);
  return named ? null : boxAnswer(proseOf(own, protocol));
}

/**
 * Why nobody can say whether an answer was given; null where it is plain that none was: nothing is at
 * the place that the protocol or the prompt names, or the text ends in a call or a thought. To be asked
 * where `readAnswer` found none.
 */
export function whyUnread(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
  prompt = '',
): string | null {
  if (!isOpen(protocol) || namesPlace(prompt)) return null;
  if (lastWords(segments, protocol) === '') return null;
  return protocol === null
    ? 'the protocol is unknown, so the answer cannot be located'
    : 'the rollout ends in prose without a marked answer';
}
