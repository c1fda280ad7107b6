import type { Span } from '../../../agent/answers/answer-text.ts';
import { spokenDialect } from '../../../agent/transcript/tag-names.ts';
import { isSearch } from '../../../agent/transcript/tags.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { itemAt } from '../../../base/items.ts';
import { dialectOf } from '../../../recipes/parts/dialect.ts';
import type { FormBlock } from '../../../records/form-line.ts';

/** What is in the text that the policy wrote, where the events of the record do not say it. */

/** Pieces of the policy's own text, joined by a space. */
export interface WrittenText {
  text: string;
  spans: Span[];
}

/** Tags that open a search in the protocol's own format. */
const SEARCH_TAGS = ['<search>', '<local_search>', '<web_search>'];

/** Tags that open a search in the format that the record is in. */
function searchTags(rollout: Pick<Rollout, 'recipe' | 'segments'>): readonly string[] {
  const dialect = spokenDialect(rollout);
  if (dialect === null) return SEARCH_TAGS;
  return dialectOf(dialect).marks.flatMap(({ kind, open }) => (isSearch(kind) ? [open] : []));
}

const placesOf = (text: string, tag: string): number[] => {
  const places: number[] = [];
  for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + tag.length))
    places.push(at);
  return places;
};

/** How many characters of a tag are at the end of a text. */
const begunIn = (text: string, tag: string): number => {
  let length = Math.min(tag.length - 1, text.length);
  while (length > 0 && !text.endsWith(tag.slice(0, length))) length -= 1;
  return length;
};

/** Every opening tag of a search in the policy's segments, in order; one may begin in the segment before. */
export function openingTags(rollout: Pick<Rollout, 'recipe' | 'segments'>): Span[] {
  const { segments } = rollout;
  // Calls of tools have many spellings; each is a segment.
  if (spokenDialect(rollout) === 'tools')
    return segments.flatMap(({ source, role, text }, segment) =>
      source === 'policy' && role === 'search' ? [{ segment, start: 0, end: text.length }] : [],
    );
  const tags = searchTags(rollout);
  return segments.flatMap(({ source, text }, segment) => {
    if (source !== 'policy') return [];
    const before = segments[segment - 1];
    const earlier = before?.source === 'policy' ? before.text : '';
    return tags
      .flatMap((tag) => {
        const begun = begunIn(earlier, tag);
        return placesOf(tag.slice(0, begun) + text, tag).map((at) => ({
          segment,
          start: Math.max(0, at - begun),
          end: at + tag.length - begun,
        }));
      })
      .toSorted((a, b) => a.start - b.start);
  });
}

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
