import { itemAt } from '../../base/items.ts';
import { EncoderError } from './errors.ts';
import type { Tokenizer } from '@huggingface/tokenizers';
import { encoded, idsOf, type TokenRow } from './tokens.ts';

/** Special tokens that stand before, between and after texts, with their segments. */
interface Template {
  before: Required<TokenRow>;
  between: Required<TokenRow>;
  after: Required<TokenRow>;
  /** Segments of the first text and, where there is one, of the second. */
  segments: readonly number[];
}

/** Texts that every tokenizer turns into at least one token. */
const [FIRST, SECOND] = ['a', 'b'];

/**
 * Writes texts and pairs of texts as a tokenizer's own post-processor does (BERT: `[CLS] a [SEP] b
 * [SEP]` with segments 0 and 1; RoBERTa and XLM-R: `<s> a </s></s> b </s>`), cut to a length before
 * the special tokens are put around them, as Hugging Face's tokenizers do it.
 */
export class TextTemplate {
  readonly #tokenizer: Tokenizer;
  #single: Template | null = null;
  #pair: Template | null = null;

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** Ids without special tokens. */
  ids(text: string): number[] {
    return idsOf(this.#tokenizer, text);
  }

  /** @throws Error where the tokenizer's template cannot be distinguished from what it writes */
  single(text: string, maxTokens: number): TokenRow {
    this.#single ??= this.#learn(null);
    const { before, after, segments } = this.#single;
    const room = Math.max(0, maxTokens - before.ids.length - after.ids.length);
    return join(before, row(this.ids(text).slice(0, room), itemAt(segments, 0)), after);
  }

  /**
   * Both texts are cut where they are too long together, the longer one first.
   * @throws Error where the tokenizer's template cannot be distinguished from what it writes
   */
  pair(first: string, second: string, maxTokens: number): TokenRow {
    this.#pair ??= this.#learn(SECOND);
    const { before, between, after, segments } = this.#pair;
    const special = before.ids.length + between.ids.length + after.ids.length;
    const [a, b] = [this.ids(first), this.ids(second)];
    const [na, nb] = cutPair(a.length, b.length, Math.max(0, maxTokens - special));
    return join(
      before,
      row(a.slice(0, na), itemAt(segments, 0)),
      between,
      row(b.slice(0, nb), itemAt(segments, 1)),
      after,
    );
  }

  /** Reads the template off what the tokenizer makes of a text, or a pair, that is known. */
  #learn(second: string | null): Template {
    let types: readonly number[] | undefined;
    const ids = encoded(() => {
      const whole = this.#tokenizer.encode(FIRST, {
        text_pair: second,
        return_token_type_ids: true,
      });
      types = whole.token_type_ids;
      return whole.ids;
    });
    // A post-processor may leave segments out; then there is one.
    const whole = { ids, types: types ?? ids.map(() => 0) };
    const a = this.ids(FIRST);
    const b = second === null ? [] : this.ids(second);
    const atFirst = indexOf(whole.ids, a, 0);
    const atSecond =
      second === null ? atFirst + a.length : indexOf(whole.ids, b, atFirst + a.length);
    if (atFirst < 0 || atSecond < 0)
      throw new EncoderError('the tokenizer writes special tokens in an unknown way');
    const part = (from: number, to?: number): Required<TokenRow> => ({
      ids: whole.ids.slice(from, to),
      types: whole.types.slice(from, to),
    });
    return {
      before: part(0, atFirst),
      between: part(atFirst + a.length, atSecond),
      after: part(atSecond + b.length),
      segments: whole.types.filter((_, at) => at === atFirst || at === atSecond),
    };
  }
}

/**
 * How much is kept of two texts of `a` and `b` tokens with room for `most`: the strategy
 * `longest_first` of Hugging Face's tokenizers. The longer text gives way until both are equally long.
 */
export function cutPair(a: number, b: number, most: number): [number, number] {
  if (a + b <= most) return [a, b];
  const short = Math.min(a, b);
  const half = Math.floor(most / 2);
  const [s, l] = 2 * short <= most ? [short, most - short] : [half, half + (most % 2)];
  return a > b ? [l, s] : [s, l];
}

function indexOf(ids: readonly number[], part: readonly number[], from: number): number {
  if (part.length === 0) return -1;
  for (let at = from; at + part.length <= ids.length; at++) {
    if (part.every((id, i) => ids[at + i] === id)) return at;
  }
  return -1;
}

const row = (ids: number[], segment: number): Required<TokenRow> => ({
  ids,
  types: ids.map(() => segment),
});

const join = (...parts: readonly Required<TokenRow>[]): TokenRow => ({
  ids: parts.flatMap(({ ids }) => ids),
  types: parts.flatMap(({ types }) => types),
});
