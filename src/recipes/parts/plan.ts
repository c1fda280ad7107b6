/** Plans of sub-questions, in which #n stands for the answer to the n-th, as loops and rewards read them. */

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
