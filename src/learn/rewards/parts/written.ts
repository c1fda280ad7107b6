import { tagBegun, type Span } from '../../../agent/answers/answer-text.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { itemAt } from '../../../base/items.ts';
import type { FormBlock } from '../../../records/form-line.ts';

/** What stands in the text that the policy wrote, where the events of the record do not say it. */

/** Pieces of the policy's own text, joined by a space. */
export interface WrittenText {
  text: string;
  spans: Span[];
}

const SEARCH_TAG = /<(?:local_|web_)?search>/g;

/** Every opening tag of a search in the policy's segments, in order. */
export const openingTags = ({ segments }: Rollout): Span[] =>
  segments.flatMap(({ source, text }, segment) => {
    if (source !== 'policy') return [];
    const begun = tagBegun(segments, segment);
    return [...`${begun}${text}`.matchAll(SEARCH_TAG)].map((match) => ({
      segment,
      start: Math.max(0, match.index - begun.length),
      end: match.index + match[0].length - begun.length,
    }));
  });

/** What the policy wrote in blocks of one kind. */
export function blocksOf({ segments, events }: Rollout, kind: FormBlock): WrittenText {
  const spans = events.flatMap((event) => {
    if (event.kind !== 'block' || event.block !== kind || event.segment === undefined) return [];
    const text = segments[event.segment]?.text ?? '';
    return [{ segment: event.segment, start: 0, end: text.length }];
  });
  const texts = spans.map(({ segment }) => itemAt(segments, segment, 'segments').text);
  return { text: texts.join(' '), spans };
}

/** The policy's thoughts after the first result. */
export function thoughtsAfterReading({ segments }: Rollout): WrittenText {
  const first = segments.findIndex(({ role }) => role === 'result');
  const spans = segments.flatMap(({ source, role, text }, segment) =>
    first >= 0 && segment > first && source === 'policy' && role === 'think'
      ? [{ segment, start: 0, end: text.length }]
      : [],
  );
  return {
    text: spans.map(({ segment }) => itemAt(segments, segment, 'segments').text).join(' '),
    spans,
  };
}
