import { z } from 'zod';

/**
 * Verify and retry (SearChain, arXiv 2304.14732, section 3.2): a reader answers each query of the policy's chain from
 * a passage; where it is sure and the policy said something else, the policy is corrected and continues from there.
 */
export const verificationSchema = z.strictObject({
  /** The reader counts above this. Of a policy: natural log of the geometric mean of its answer's probabilities. */
  threshold: z.number(),
  /** Most corrections and completions. */
  rounds: z.int().min(1).max(16),
  /** `last`, an ablation: the reader sees the last passage of the result, which fits worst. Absent: the first. */
  passage: z.literal('last').optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, ' ')
    .replaceAll(/\b(?:a|an|the)\b/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The passage of a result that the reader sees, in a list; an empty one of none. */
export const readerSees = <T>(
  hits: readonly T[],
  { passage }: Pick<Verification, 'passage'>,
): T[] => (passage === 'last' ? hits.slice(-1) : hits.slice(0, 1));

/** Whether the reader's answer overrules the policy's: it is sure, and its words are not inside the policy's. */
export function corrects(
  reader: { answer: string; score: number },
  said: string,
  { threshold }: Pick<Verification, 'threshold'>,
): boolean {
  const answer = plain(reader.answer);
  if (answer === '' || reader.score <= threshold) return false;
  return !` ${plain(said)} `.includes(` ${answer} `);
}

/** One node of a chain; `answer` is null where the policy left it unsolved. */
export interface ChainNode {
  query: string;
  answer: string | null;
}

export interface Chain {
  nodes: ChainNode[];
  /** What is behind `[Final Content]`; null without one. */
  final: string | null;
}

const MARK = /\[\s*(Query|Answer|Unsolved Query|Final Content)\s*\d*\s*\]\s*:?/giu;

/** SearChain's own format; text in front of the first mark is none of the chain. */
export function readChain(text: string): Chain {
  const marks = [...text.matchAll(MARK)];
  const nodes: ChainNode[] = [];
  let final: string | null = null;
  marks.forEach((mark, i) => {
    const inner = text.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim();
    const name = (mark[1] ?? '').toLowerCase();
    const last = nodes.at(-1);
    if (name === 'final content') final = inner;
    else if (name === 'answer') {
      if (last && last.answer === null) last.answer = inner;
    } else nodes.push({ query: inner, answer: null });
  });
  return { nodes: nodes.filter(({ query }) => query !== ''), final };
}
