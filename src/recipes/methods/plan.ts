import { z } from 'zod';

/**
 * A plan of sub-questions that is written at once and worked off (Collab-RAG, arXiv 2504.04915; code:
 * ritaranx/Collab-RAG): each is searched and answered by a reader, and #n in it stands for the answer to the n-th.
 */
export const planSchema = z.strictObject({
  /** Most sub-questions. */
  most: z.int().min(1).max(16),
  /** Whether #n gives way to its answer; the released code looks for it with a doubled backslash, and never does. */
  substitute: z.boolean(),
  /** Passages of a reader in zigzag, the best at both ends. */
  zigzag: z.boolean().default(false),
  /** ComposeRAG (2506.00232): rounds in which an answer that its passages do not hold is looked for again; 0: none. */
  verify: z.int().min(0).max(8).default(0),
});
export type Plan = z.infer<typeof planSchema>;

export interface SubQuestion {
  text: string;
  /** Whether passages are needed for it. */
  search: boolean;
}

const LINE = /^\s*(?:\d+\s*[.):]|[-*])\s*(.+?)\s*(?:\[\s*(yes|no)\s*\])?\s*$/iu;

/** Numbered lines, each with `[yes]` or `[no]` after it where it says whether it needs passages. */
export const readPlan = (text: string, most: number): SubQuestion[] =>
  text
    .split('\n')
    .flatMap((line): SubQuestion[] => {
      const [, question = '', flag = 'yes'] = LINE.exec(line) ?? [];
      return question === '' ? [] : [{ text: question, search: flag.toLowerCase() === 'yes' }];
    })
    .slice(0, most);

/** Whether a plan has a line, and none refers to itself, to a later one or to none. */
export const planValid = (plan: readonly SubQuestion[]): boolean =>
  plan.length > 0 &&
  plan.every(({ text }, i) =>
    [...text.matchAll(/#(\d+)/gu)].every(([, n]) => Number(n) >= 1 && Number(n) <= i),
  );

/** The sub-question with the answers so far in the place of #1, #2, …; one that is not known stays. */
export const substituted = (text: string, answers: readonly string[]): string =>
  text.replaceAll(/#(\d+)/gu, (mark, n: string) => answers[Number(n) - 1] ?? mark);

const NAME =
  /\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*(?:\s+\(born \d+\)|\s+\(\d+\))?/gu;

/** What a question names, without the word that opens it. */
const namesIn = (question: string): string[] =>
  [...question.slice(1).matchAll(NAME)].map(([name]) => name);

/** Steps of such a plan that put together what was found: nothing is looked up for them. */
const CONCLUSIONS = new Set([
  'common',
  'count',
  'difference',
  'sum',
  'age',
  'earlier',
  'later',
  'older',
  'younger',
  'same',
]);

/**
 * The plan of a policy that knows only the protocol: parts with commas between them. The first that names nothing is
 * asked of what the question names, a later one of what the part before it was answered.
 */
export function planParts(text: string, most: number, question: string): SubQuestion[] {
  const [about = ''] = namesIn(question);
  return text
    .replace(/^\s*plan\s*:/u, '')
    .split(/[,;.]/u)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !CONCLUSIONS.has(part.toLowerCase()))
    .slice(0, most)
    .map((part, i) => {
      const of = i === 0 ? about : `#${i}`;
      return { text: /\p{Lu}/u.test(part) || of === '' ? part : `${part} of ${of}`, search: true };
    });
}

/** The best first, the second best last, the third best second, and so on. */
export function zigzag<T>(best: readonly T[]): T[] {
  const front = best.filter((_, i) => i % 2 === 0);
  const back = best.filter((_, i) => i % 2 === 1);
  return [...front, ...back.toReversed()];
}

const plain = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** Whether some passage holds the answer, word for word. */
export const grounded = (answer: string, passages: readonly string[]): boolean =>
  plain(answer).trim() !== '' && passages.some((passage) => plain(passage).includes(plain(answer)));
