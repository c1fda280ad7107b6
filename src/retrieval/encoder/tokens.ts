import { Tokenizer } from '@huggingface/tokenizers';
import type { Passage } from '../../data/records.ts';

/** Ids of one text, without special tokens around it. */
export type Tokenize = (text: string) => number[];

/** Reads a `tokenizer.json`; throws where it is none. */
export function readTokenizer(json: unknown, name: string): Tokenize {
  if (typeof json !== 'object' || json === null) throw new Error(`${name}: not a tokenizer`);
  try {
    const tokenizer = new Tokenizer(json, {});
    return (text) => tokenizer.encode(text, { add_special_tokens: false }).ids;
  } catch (cause) {
    throw new Error(`${name}: cannot be read as a tokenizer`, { cause });
  }
}

/** A passage as the encoder reads it; the leading space cuts a name into the same pieces anywhere. */
export const passageText = (passage: Passage, prefix: string): string =>
  ` ${prefix}${passage.title} : ${passage.text}`;

export const queryText = (query: string, prefix: string): string => ` ${prefix}${query.trim()}`;

/** Padded ids and mask, row-major [texts, length]; padding has id 0 and mask 0. */
export interface PaddedBatch {
  rows: number;
  length: number;
  ids: Int32Array;
  mask: Int32Array;
}

/** Pads to the longest text, or to `length` where it is given; longer texts are cut at `maxTokens`. */
export function pad(
  texts: readonly (readonly number[])[],
  maxTokens: number,
  length?: number,
): PaddedBatch {
  const longest = Math.max(1, ...texts.map((ids) => ids.length));
  const width = length ?? Math.min(longest, maxTokens);
  const batch: PaddedBatch = {
    rows: texts.length,
    length: width,
    ids: new Int32Array(texts.length * width),
    mask: new Int32Array(texts.length * width),
  };
  texts.forEach((ids, row) => {
    const cut = ids.slice(0, width);
    batch.ids.set(cut, row * width);
    batch.mask.fill(1, row * width, row * width + cut.length);
  });
  return batch;
}
