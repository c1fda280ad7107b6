import type { RewardClause, Rollout } from '../../records/rollout.ts';

/** Where the policy's answer is in the record, and what it wrote beside its box. */

/** Offsets into the text of a segment. */
export type Span = RewardClause['evidence'][number];

/**
 * The beginning of a tag that is in the last token of the segment before, where one token holds
 * parts of two tags (`><`); empty for policies whose tags are special tokens.
 */
export function tagBegun(segments: Rollout['segments'], index: number): string {
  const before = segments[index - 1];
  return before?.source === 'policy' ? (/<\/?[a-z_]*$/.exec(before.text)?.[0] ?? '') : '';
}

/**
 * Where the box that holds `answer` opens, and where its content begins; the last such box. Of a forced
 * answer the environment wrote the opening, so that the segment begins inside the box.
 */
function findBox(text: string, answer: string): { box: number; start: number } | null {
  const opened = [...text.matchAll(/\\boxed\s*\{\s*/g)].map((match) => ({
    box: match.index,
    start: match.index + match[0].length,
  }));
  if (opened.length === 0) opened.push({ box: 0, start: text.length - text.trimStart().length });
  return opened.findLast(({ start }) => text.startsWith(answer, start)) ?? null;
}

interface AnswerText {
  /** The answer inside its box; null where it is in no box of the policy's, as one that was chosen among candidates. */
  span: Span | null;
  /** Text of the answer block outside its box, without tags. */
  prose: string;
}

const plain = (text: string): string => text.replace(/<[^>]*>/g, '').trim();

/** The last answer segment that the policy wrote. */
export function readAnswerText(rollout: Pick<Rollout, 'segments' | 'answer'>): AnswerText {
  const { segments, answer } = rollout;
  const index = segments.findLastIndex((s) => s.role === 'answer' && s.source === 'policy');
  const segment = segments[index];
  if (!segment) return { span: null, prose: '' };
  const begun = tagBegun(segments, index);
  const found = answer === null ? null : findBox(segment.text, answer);
  if (!found || answer === null) return { span: null, prose: plain(begun + segment.text) };
  return {
    span: { segment: index, start: found.start, end: found.start + answer.length },
    prose: plain(begun + segment.text.slice(0, found.box)),
  };
}
