import type { ImportedSegment } from '../imported.ts';
import type { Protocol } from './protocol.ts';
import { blockText } from './split.ts';

/** The content of every outermost `\boxed{…}` with balanced braces, in order, and where it begins. */
export function boxesIn(text: string): { text: string; start: number }[] {
  const boxes: { text: string; start: number }[] = [];
  const opening = /\\boxed\s*\{/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const start = match.index + match[0].length;
    let [depth, end] = [1, start];
    for (; end < text.length && depth > 0; end++) {
      if (text[end] === '\\') end++;
      else if (text[end] === '{') depth++;
      else if (text[end] === '}') depth--;
    }
    if (depth > 0) return boxes;
    boxes.push({ text: text.slice(start, end - 1), start });
    opening.lastIndex = end;
  }
  return boxes;
}

const PHRASE = /the correct answer is:\s*([^\n]+)/gi;

/** What the policy's text of one segment gives as answers, in order. */
function answersIn(segment: ImportedSegment, protocol: Protocol): string[] {
  if (protocol.answer === 'boxed-prose') {
    const boxes = boxesIn(segment.text).map(({ text }) => text.trim());
    if (boxes.length > 0) return boxes;
    return [...segment.text.matchAll(PHRASE)].map((match) => match[1]!.trim());
  }
  if (segment.role !== 'answer') return [];
  const inner = blockText(segment.text, protocol).text;
  const boxes = boxesIn(inner).map(({ text }) => text.trim());
  return protocol.answer === 'boxed-block' ? boxes : [inner];
}

/**
 * The last answer that the policy gave by its protocol's rule; null without one. Prompt and environment
 * are never looked at, so that the example in a prompt is no answer.
 */
export function readAnswer(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
): string | null {
  if (!protocol) return null;
  const given = segments
    .filter(({ source }) => source === 'policy')
    .flatMap((segment) => answersIn(segment, protocol))
    .filter((answer) => answer !== '');
  return given.at(-1) ?? null;
}
