import type { ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import type { Protocol } from '../../../formats/rollouts/protocols/protocol.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';

const TURN_END = '<|im_end|>';

/** What a model wrote, without the mark that ends its turn. */
function withoutTurnEnd(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(TURN_END) ? trimmed.slice(0, -TURN_END.length).trimEnd() : trimmed;
}

/**
 * Breaches of a tag protocol in text that the policy wrote, one per place: a block that was not closed by
 * its own tag, a tag of the protocol where none may stand, a tag that is the environment's to write, an
 * empty query, and text between blocks where the protocol has none. Systems differ in further rules of
 * their own; those are not judged here.
 */
export function formFaults(
  segments: readonly ImportedSegment[],
  protocol: Protocol | null,
): Span[][] {
  if (!protocol) return [];
  const tags = protocol.blocks.flatMap(({ open, close }) => [open, close]);
  const faults: Span[][] = [];
  let opened = false;
  segments.forEach(({ source, role, text }, segment) => {
    if (source !== 'policy') return;
    const fault = (start: number, end: number): void => {
      faults.push([{ segment, start, end }]);
    };
    const rule = protocol.blocks.find(({ open }) => text.startsWith(open));
    let body = { start: 0, end: text.length };
    if (rule) {
      opened ||= role === 'think';
      const end = withoutTurnEnd(text).length - rule.close.length;
      if (!text.startsWith(rule.close, end) || end < rule.open.length) fault(0, text.length);
      body = { start: rule.open.length, end: Math.max(rule.open.length, end) };
      const empty = text.slice(body.start, body.end).trim() === '';
      if (role === 'search' && empty) fault(0, text.length);
    } else if (protocol.prose === 'other' && text.trim() !== '') {
      const stray = tags.find((tag) => text.trim() === tag);
      // A thought whose opening tag is in the prompt is closed here.
      if (stray !== '</think>' || opened) fault(0, text.length);
      opened = true;
      return;
    }
    for (const tag of tags) {
      const at = text.slice(0, body.end).indexOf(tag, body.start);
      if (at < 0) continue;
      if (!rule && tag === '</think>' && !opened) opened = true;
      else fault(at, at + tag.length);
    }
  });
  return faults;
}
