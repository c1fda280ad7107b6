import { itemAt, lastOf } from '../../../base/items.ts';
import { boxesIn } from './boxes.ts';
import type { Protocol } from './protocol.ts';

/** Answers that no tag marks: a box, GSM8K's hashes, a sentence that says it is the answer. */

/** Text inside `\text{…}` and its kin, which a box holds in place of mathematics. */
const WORDS = /^\\(?:text|textbf|textit|mathrm|mathbf)\s{0,4}\{([\s\S]*)\}$/;

export function boxAnswer(text: string): string | null {
  const box = boxesIn(text)
    .map((one) => one.text.trim())
    .findLast((one) => one !== '');
  return box === undefined ? null : (WORDS.exec(box)?.[1] ?? box).trim();
}

const HASHES = /^####[ \t]*(\S.*)$/;
const NUMBER = /^####[ \t]*(\$?-?\d[\d.,]*)/;

/**
 * GSM8K's `#### 72`: a number behind four hashes wherever it stands, any words there on the last line.
 * Elsewhere four hashes with words are a heading.
 */
export function hashAnswer(text: string): string | null {
  const lines = text.trimEnd().split('\n');
  const last = HASHES.exec(lastOf(lines));
  if (last && !NUMBER.test(last[0])) return itemAt(last, 1);
  const numbers = lines.flatMap((line) => NUMBER.exec(line)?.slice(1) ?? []);
  return numbers.at(-1)?.replace(/[.,]$/, '') ?? null;
}

/** A longer line is prose, and a longer answer no short one. */
const LONGEST_LINE = 400;
const LONGEST_ANSWER = 100;

const SAYS =
  /(?:^|[.!?] )[ *_]{0,4}(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?(?:(?:final|correct|short|exact) )?answer[*_]{0,4}(?: is:?|:)[ *_]{0,4}(\S.*)$/i;

/**
 * What the last line that reads "The answer is X." or "Answer: X" says. Null where more sentences follow
 * on that line: where the answer ends is then a guess.
 */
export function answerInProse(text: string): string | null {
  const line = text.split('\n').findLast((one) => one.length <= LONGEST_LINE && SAYS.test(one));
  const said = (line === undefined ? undefined : SAYS.exec(line)?.[1])
    ?.replaceAll(/^[*_"“”]+|[*_"“”.]+$/g, '')
    .trim();
  if (said === undefined || said === '' || said.length > LONGEST_ANSWER) return null;
  return /[.!?]["”*_]{0,3}\s/.test(said) ? null : said;
}

const THINK = { open: '<think>', close: '</think>', role: 'think', source: 'policy' } as const;

/** Protocols without a tag of their own but the thought's, the most telling first. */
export const PROSE_PROTOCOLS: readonly Protocol[] = [
  {
    id: 'boxed',
    name: '\\boxed{} in prose',
    blocks: [THINK],
    prose: 'other',
    answer: 'any',
    recognises: (text) => boxAnswer(text) !== null,
  },
  {
    id: 'gsm8k',
    name: '#### in prose, GSM8K',
    blocks: [THINK],
    prose: 'other',
    answer: 'any',
    recognises: (text) => hashAnswer(text) !== null,
  },
  {
    id: 'think',
    name: 'a thought, then prose: Qwen3, DeepSeek-R1',
    blocks: [THINK],
    prose: 'other',
    answer: 'any',
    recognises: (text) => /^\s*<think>/.test(text) || text.includes('</think>'),
  },
];
