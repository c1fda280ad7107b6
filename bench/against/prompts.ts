import { AGREEMENT_TEXT } from '../../src/policy/open/loaded-policy.ts';
import type { PolicyTokenizer } from '../../src/policy/policy.ts';

/** A prompt as wllama and as Forage take it. */
export interface Prompt {
  readonly text: string;
  readonly ids: readonly number[];
}

const LONGEST_WORD = 24;

/** Starts of words of a text. */
const wordStarts = (text: string): number[] =>
  [...text.matchAll(/(?<=\s)\w/g)].map(({ index }) => index);

/** A text of `length` tokens at the start of `from`; null where there is none. */
function textOf(tokenizer: PolicyTokenizer, from: string, length: number): Prompt | null {
  const upTo = (end: number): Prompt => {
    const text = from.slice(0, end);
    return { text, ids: tokenizer.encodeText(text) };
  };
  // Where a word is cut, one more letter may even take a token away: the count is right nearby.
  let [low, high] = [1, Math.min(from.length, LONGEST_WORD * length)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (upTo(middle).ids.length < length) low = middle + 1;
    else high = middle;
  }
  for (let end = Math.max(1, low - 8); end < low + 16; end++) {
    const prompt = upTo(end);
    if (prompt.ids.length === length) return prompt;
  }
  return null;
}

/**
 * English prompts that start with different words, so that none is a prefix of another.
 * @param length tokens of each, the start of text among them where the model has one
 */
export function promptsOf(tokenizer: PolicyTokenizer, count: number, length: number): Prompt[] {
  const { startOfText } = tokenizer;
  const start = startOfText === undefined ? [] : [startOfText];
  const twice = AGREEMENT_TEXT + AGREEMENT_TEXT;
  const prompts = new Map<number, Prompt>();
  for (const at of wordStarts(AGREEMENT_TEXT)) {
    if (prompts.size === count) break;
    const [first] = tokenizer.encodeText(AGREEMENT_TEXT.slice(at, at + LONGEST_WORD));
    if (first === undefined || prompts.has(first)) continue;
    const found = textOf(tokenizer, twice.slice(at), length - start.length);
    if (found === null || found.ids[0] !== first) continue;
    prompts.set(first, { text: found.text, ids: [...start, ...found.ids] });
  }
  if (prompts.size < count)
    throw new Error(
      `The vocabulary of this model gives only ${prompts.size} different prompts. Ask for fewer slots.`,
    );
  return [...prompts.values()];
}
