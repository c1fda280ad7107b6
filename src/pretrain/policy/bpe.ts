/**
 * Trains a byte-level byte-pair encoding (Sennrich et al. 2016, arXiv 1508.07909, on the bytes of
 * UTF-8) and writes it in the `tokenizer.json` format of Hugging Face.
 */

/** Words with their leading space, numbers in groups of two digits, punctuation, white space. */
export const SPLIT_PATTERN = String.raw` ?\p{L}+| ?\p{N}{1,2}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

export interface BpeOptions {
  /** Size of the whole vocabulary, special tokens and the 256 bytes included. */
  vocabSize: number;
  /** Get the first ids, in this order. */
  specialTokens: readonly string[];
  /** Pairs seen less often are never merged. */
  minFrequency?: number;
}

/** What `tokenizer.json` holds here. */
export interface TokenizerJson {
  version: '1.0';
  truncation: null;
  padding: null;
  added_tokens: {
    id: number;
    content: string;
    single_word: false;
    lstrip: false;
    rstrip: false;
    normalized: false;
    special: true;
  }[];
  normalizer: null;
  pre_tokenizer: {
    type: 'Sequence';
    pretokenizers: [
      { type: 'Split'; pattern: { Regex: string }; behavior: 'Isolated'; invert: false },
      { type: 'ByteLevel'; add_prefix_space: false; trim_offsets: false; use_regex: false },
    ];
  };
  post_processor: null;
  decoder: { type: 'ByteLevel'; add_prefix_space: false; trim_offsets: false; use_regex: false };
  model: {
    type: 'BPE';
    dropout: null;
    unk_token: null;
    continuing_subword_prefix: null;
    end_of_word_suffix: null;
    fuse_unk: false;
    byte_fallback: false;
    ignore_merges: false;
    vocab: Record<string, number>;
    merges: [string, string][];
  };
}

const printable = (b: number): boolean =>
  (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);

/** GPT-2's printable character for every byte. */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCharCode(printable(b) ? b : next++));
})();

const utf8 = new TextEncoder();
const toCharacters = (piece: string): string[] =>
  Array.from(utf8.encode(piece), (b) => BYTE_CHARACTERS[b] ?? '');

/** One distinct pre-token: its symbols so far, and how often it occurs. */
interface Word {
  symbols: string[];
  count: number;
}

/**
 * Merges the most frequent pair (ties: the pair that sorts first) until the vocabulary is full or no
 * pair is frequent enough.
 *
 * @throws RangeError where vocabSize has no room for the special tokens and the bytes
 */
export const trainBpe = (texts: Iterable<string>, options: BpeOptions): TokenizerJson => {
  const { vocabSize, specialTokens, minFrequency = 2 } = options;
  const room = vocabSize - specialTokens.length - 256;
  if (room < 0) throw new RangeError(`a vocabulary of ${vocabSize} cannot hold the 256 bytes`);
  const merger = new PairMerger(countWords(texts));
  const merges: [string, string][] = [];
  const vocab = new Map<string, number>(specialTokens.map((t, i) => [t, i]));
  for (const c of BYTE_CHARACTERS) vocab.set(c, vocab.size);
  while (vocab.size < vocabSize) {
    const pair = merger.best(minFrequency);
    if (!pair) break;
    merger.merge(pair);
    merges.push(pair);
    const joined = pair[0] + pair[1];
    if (!vocab.has(joined)) vocab.set(joined, vocab.size);
  }
  return tokenizerJson(specialTokens, Object.fromEntries(vocab), merges);
};

const countWords = (texts: Iterable<string>): Word[] => {
  const pattern = new RegExp(SPLIT_PATTERN, 'gu');
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const piece of text.match(pattern) ?? []) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return [...counts].map(([piece, count]) => ({ symbols: toCharacters(piece), count }));
};

const SEPARATOR = ' ';

/** Pair counts over the words, kept up to date as pairs are merged. */
class PairMerger {
  private readonly counts = new Map<string, number>();
  /** Words that hold a pair (or held it once). */
  private readonly holders = new Map<string, Set<Word>>();

  constructor(words: readonly Word[]) {
    for (const word of words) this.add(word, 1);
  }

  best(minFrequency: number): [string, string] | undefined {
    let found: string | undefined;
    let most = minFrequency - 1;
    for (const [pair, count] of this.counts)
      if (count > most || (count === most && found !== undefined && pair < found)) {
        found = pair;
        most = count;
      }
    const [left, right] = found?.split(SEPARATOR) ?? [];
    return left === undefined || right === undefined ? undefined : [left, right];
  }

  merge([left, right]: readonly [string, string]): void {
    const key = left + SEPARATOR + right;
    for (const word of Array.from(this.holders.get(key) ?? [])) {
      this.add(word, -1);
      word.symbols = joinPair(word.symbols, left, right);
      this.add(word, 1);
    }
    this.counts.delete(key);
    this.holders.delete(key);
  }

  private add(word: Word, sign: 1 | -1): void {
    for (let i = 0; i + 1 < word.symbols.length; i++) {
      const key = word.symbols[i] + SEPARATOR + word.symbols[i + 1];
      const count = (this.counts.get(key) ?? 0) + sign * word.count;
      if (count > 0) this.counts.set(key, count);
      else this.counts.delete(key);
      if (sign > 0) {
        let holders = this.holders.get(key);
        if (!holders) this.holders.set(key, (holders = new Set()));
        holders.add(word);
      }
    }
  }
}

const joinPair = (symbols: readonly string[], left: string, right: string): string[] => {
  const out: string[] = [];
  let joined = false;
  for (const [i, symbol] of symbols.entries()) {
    const isRight: boolean = joined;
    joined = !isRight && symbol === left && symbols[i + 1] === right;
    if (!isRight) out.push(joined ? left + right : symbol);
  }
  return out;
};

const tokenizerJson = (
  specialTokens: readonly string[],
  vocab: Record<string, number>,
  merges: [string, string][],
): TokenizerJson => {
  const byteLevel = {
    type: 'ByteLevel',
    add_prefix_space: false,
    trim_offsets: false,
    use_regex: false,
  } as const;
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: SPLIT_PATTERN }, behavior: 'Isolated', invert: false },
        byteLevel,
      ],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  };
};
