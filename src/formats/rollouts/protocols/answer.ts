import { itemAt } from '../../../base/items.ts';
import type { ImportedSegment } from '../shape/imported.ts';
import { boxesIn } from './boxes.ts';
import { boxAnswer, hashAnswer, saidAnswer } from './prose.ts';
import type { Protocol } from './protocol.ts';
import { blockText } from './split.ts';

const PHRASE = /the correct answer is:\s*([^\n]+)/gi;

/** What the policy's text of one segment gives as answers by its protocol's rule, in order. */
function answersIn(segment: ImportedSegment, protocol: Protocol): string[] {
  if (protocol.answer === 'boxed-prose') {
    const boxes = boxesIn(segment.text).map(({ text }) => text.trim());
    if (boxes.length > 0) return boxes;
    return [...segment.text.matchAll(PHRASE)].map((match) => itemAt(match, 1).trim());
  }
  if (segment.role !== 'answer') return [];
  const inner = blockText(segment.text, protocol).text;
  if (protocol.answer === 'any') return [boxAnswer(inner) ?? inner];
  const boxes = boxesIn(inner).map(({ text }) => text.trim());
  return protocol.answer === 'boxed-block' ? boxes : [inner];
}

/** Places of an answer that a prompt names; the last of them that the text fills is the answer. */
const PLACES = [
  { named: /<answer>/, read: null },
  { named: /\\boxed/, read: boxAnswer },
  // Headings of a prompt begin so too.
  { named: /(?:["'`]|after )####|####\s{0,4}(?:[<{[\d]|answer)/i, read: hashAnswer },
  { named: /Finish\[/, read: null },
  { named: null, read: saidAnswer },
] as const;

/** Whether the prompt says where the answer is to stand: a text without it there then gives none. */
const namesPlace = (prompt: string): boolean =>
  PLACES.some(({ named }) => named?.test(prompt) === true);

/** What the policy said last, outside thoughts and calls; empty where it ends with one of those. */
function lastWords(segments: readonly ImportedSegment[]): string {
  const last = segments.findLast(({ text }) => text.trim() !== '');
  if (last?.source !== 'policy' || last.role === 'search') return '';
  return /^\s*<think>/.test(last.text) ? '' : last.text;
}

const proseOf = (own: readonly ImportedSegment[]): string =>
  own
    .filter(({ role }) => role !== 'search')
    .map(({ text }) => text)
    .join('\n');

/** The answer that stands in no block. Only places that the prompt names count, where it names any. */
function openAnswer(own: readonly ImportedSegment[], prompt: string): string | null {
  const told = namesPlace(prompt);
  const text = proseOf(own);
  const end = lastWords(own);
  for (const { named, read } of PLACES) {
    if (read === null || (told && named?.test(prompt) !== true)) continue;
    const answer = read(named === null ? end : text);
    if (answer !== null) return answer;
  }
  return null;
}

/**
 * The last answer that the policy gave by its protocol's rule; null without one. Prompt and environment
 * are never searched for it, so that the example in a prompt is no answer; the prompt only says which
 * place counts.
 */
export function readAnswer(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
  prompt = '',
): string | null {
  const own = segments.filter(({ source }) => source === 'policy');
  const given = protocol
    ? own.flatMap((segment) => answersIn(segment, protocol)).filter((answer) => answer !== '')
    : [];
  const last = given.at(-1);
  if (last !== undefined) return last;
  if (protocol === null || protocol.answer === 'any') return openAnswer(own, prompt);
  // Search tags of one system with another's box: the answer is plain where no place was named.
  const named = own.some(({ role }) => role === 'answer') || namesPlace(prompt);
  return named ? null : boxAnswer(proseOf(own));
}

/**
 * Why nobody can say whether an answer was given; null where it is plain that none was: nothing stands at
 * the place that the protocol or the prompt names, or the text ends in a call or a thought. To be asked
 * where `readAnswer` found none.
 */
export function whyUnread(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
  prompt = '',
): string | null {
  if ((protocol !== null && protocol.answer !== 'any') || namesPlace(prompt)) return null;
  if (lastWords(segments) === '') return null;
  return protocol === null
    ? 'no protocol is known that would say where the answer stands'
    : 'the rollout ends in prose, and nothing marks the answer in it';
}
