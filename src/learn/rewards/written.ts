import type { RewardClause, Rollout } from '../../data/rollout.ts';

/** What stands in the text that the policy wrote, where the events of the record do not say it. */

export type Span = RewardClause['evidence'][number];

/** Pieces of the policy's own text, joined by a space. */
export interface WrittenText {
  text: string;
  spans: Span[];
}

const SEARCH_TAG = /<(?:local_|web_)?search>/g;

/** Every opening tag of a search in the policy's segments, in order. */
export const openingTags = (rollout: Rollout): Span[] =>
  rollout.segments.flatMap(({ source, text }, segment) =>
    source !== 'policy'
      ? []
      : [...text.matchAll(SEARCH_TAG)].map((match) => ({
          segment,
          start: match.index,
          end: match.index + match[0].length,
        })),
  );

/** The policy's thoughts after the first result. */
export function thoughtsAfterReading({ segments }: Rollout): WrittenText {
  const first = segments.findIndex(({ role }) => role === 'result');
  const spans = segments.flatMap(({ source, role, text }, segment) =>
    first >= 0 && segment > first && source === 'policy' && role === 'think'
      ? [{ segment, start: 0, end: text.length }]
      : [],
  );
  return { text: spans.map(({ segment }) => segments[segment]!.text).join(' '), spans };
}
