import { EncoderError } from './errors.ts';
import { Tokenizer } from '@huggingface/tokenizers';
import { checkTokenizer } from '../../formats/tokenizer/check.ts';
import type { Passage } from '../../records/records.ts';
import type { EncoderManifest } from './manifest.ts';

/** Ids of one text, without special tokens around it. */
export type Tokenize = (text: string) => number[];

/** Reads a `tokenizer.json`; throws where it is none. */
export function readTokenizer(json: unknown, name: string): Tokenize {
  const tokenizer = openTokenizer(json, name);
  return (text) => idsOf(tokenizer, text);
}

/** @throws Error that names the file, and the field at fault where one is */
export function openTokenizer(json: unknown, name: string): Tokenizer {
  if (typeof json !== 'object' || json === null) throw new EncoderError(`${name}: not a tokenizer`);
  try {
    checkTokenizer(json);
  } catch (cause) {
    throw new EncoderError(`${name}: ${cause instanceof Error ? cause.message : 'damaged'}`, {
      cause,
    });
  }
  try {
    return new Tokenizer(json, {});
  } catch (cause) {
    throw new EncoderError(`${name}: cannot be read as a tokenizer`, { cause });
  }
}

/**
 * Ids of a text without special tokens around it.
 * @throws Error where the settings of the tokenizer do not fit together
 */
export function idsOf(tokenizer: Tokenizer, text: string): number[] {
  return encoded(() => tokenizer.encode(text, { add_special_tokens: false }).ids);
}

/** Runs the tokenizer, whose own errors speak of its insides. */
export function encoded(run: () => number[]): number[] {
  let ids: number[];
  try {
    ids = run();
  } catch (cause) {
    throw new EncoderError('the tokenizer cannot tokenise a text; its settings do not fit', {
      cause,
    });
  }
  if (ids.every((id) => Number.isInteger(id))) return ids;
  throw new EncoderError('the tokenizer has no token for a part of a text, and no unknown token');
}

/** A passage as the built-in encoder reads it; the leading space cuts a name into the same pieces anywhere. */
export const passageText = (passage: Passage, prefix: string): string =>
  ` ${prefix}${passage.title} : ${passage.text}`;

export const queryText = (query: string, prefix: string): string => ` ${prefix}${query.trim()}`;

/** Title and text as most encoders and cross-encoders were shown them. */
export const plainPassage = ({ title, text }: Passage): string => `${title} ${text}`.trim();

type Layout = Pick<EncoderManifest, 'layout' | 'passagePrefix' | 'queryPrefix'>;

/** A passage exactly as the encoder reads it. */
export const encodedPassage = (passage: Passage, { layout, passagePrefix }: Layout): string =>
  layout === 'forage'
    ? passageText(passage, passagePrefix)
    : `${passagePrefix}${plainPassage(passage)}`;

/** A query exactly as the encoder reads it. */
export const encodedQuery = (query: string, { layout, queryPrefix }: Layout): string =>
  layout === 'forage' ? queryText(query, queryPrefix) : `${queryPrefix}${query.trim()}`;

/** One text, or one pair of texts, as the model takes it. */
export interface TokenRow {
  ids: readonly number[];
  /** Segment of each id (`token_type_ids`); all 0 where it is left out. */
  types?: readonly number[];
}

/** Padded ids, mask and segments, row-major [texts, length]; padding has mask 0 and segment 0. */
export interface PaddedBatch {
  rows: number;
  length: number;
  ids: Int32Array;
  mask: Int32Array;
  types: Int32Array;
}

/** Pads to the longest text, or to `length` where it is given; longer texts are cut at `maxTokens`. */
export function pad(
  texts: readonly (readonly number[])[],
  maxTokens: number,
  length?: number,
): PaddedBatch {
  return padRows(
    texts.map((ids) => ({ ids })),
    maxTokens,
    { length },
  );
}

/** As `pad`, with segments and another id for padding. */
export function padRows(
  texts: readonly TokenRow[],
  maxTokens: number,
  { length, padId = 0 }: { length?: number; padId?: number } = {},
): PaddedBatch {
  const longest = Math.max(1, ...texts.map(({ ids }) => ids.length));
  const width = length ?? Math.min(longest, maxTokens);
  const batch: PaddedBatch = {
    rows: texts.length,
    length: width,
    ids: new Int32Array(texts.length * width).fill(padId),
    mask: new Int32Array(texts.length * width),
    types: new Int32Array(texts.length * width),
  };
  texts.forEach(({ ids, types }, row) => {
    const cut = ids.slice(0, width);
    batch.ids.set(cut, row * width);
    batch.mask.fill(1, row * width, row * width + cut.length);
    if (types) batch.types.set(types.slice(0, width), row * width);
  });
  return batch;
}
