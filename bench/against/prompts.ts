import { AGREEMENT_TEXT } from '../../src/policy/model/agreement-text.ts';
import type { PolicyTokenizer } from '../../src/policy/policy.ts';

/** A prompt as wllama and as Forage take it. */
export interface Prompt {
  readonly text: string;
  readonly ids: readonly number[];
}

/** Starts of words of a text. */
const wordStarts = (text: string): number[] =>
  [...text.matchAll(/(?<=\s)\w/g)].map(({ index }) => index);

/** The longest text from `start` on that has `length` tokens; null where there is none. */
function textOf(
  tokenizer: PolicyTokenizer,
  from: string,
  length: number,
): { text: string; ids: number[] } | null {
  let found = null;
  for (let end = 1; end <= from.length; end++) {
    const text = from.slice(0, end);
    const ids = tokenizer.encodeText(text);
    if (ids.length === length) found = { text, ids };
    if (ids.length > length + 4) break;
  }
  return found;
}

/**
 * English prompts that start with different words, so that none is a prefix of another.
 * @param length tokens of each, the start of text among them where the model has one
 */
export function promptsOf(tokenizer: PolicyTokenizer, count: number, length: number): Prompt[] {
  const { startOfText } = tokenizer;
  const start = startOfText === undefined ? [] : [startOfText];
  const prompts = new Map<number, Prompt>();
  for (const at of wordStarts(AGREEMENT_TEXT)) {
    if (prompts.size === count) break;
    const twice = AGREEMENT_TEXT.slice(at) + AGREEMENT_TEXT;
    const found = textOf(tokenizer, twice, length - start.length);
    const first = found?.ids[0];
    if (!found || first === undefined || prompts.has(first)) continue;
    prompts.set(first, { text: found.text, ids: [...start, ...found.ids] });
  }
  if (prompts.size < count)
    throw new Error(
      `The vocabulary of this model gives only ${prompts.size} different prompts. Ask for fewer slots.`,
    );
  return [...prompts.values()];
}
