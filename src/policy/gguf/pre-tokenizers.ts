/**
 * How texts are split into words before byte-level BPE, by `tokenizer.ggml.pre`. The patterns are those of llama.cpp
 * (`src/llama-vocab.cpp`), for the names that files of the supported architectures carry. Patterns of one entry are
 * applied one after the other; a pattern's matches and what lies between them are words of their own.
 */
export interface PreTokenizer {
  readonly patterns: readonly string[];
  /** Unicode normalisation that the published tokenizer applies; llama.cpp leaves it out. */
  readonly normalizer?: 'NFC';
  /** A word that is a token is taken whole, even if no row of merges leads to it. */
  readonly ignoreMerges?: true;
  /** Whether a text begins with the BOS token where `tokenizer.ggml.add_bos_token` is absent. */
  readonly addBos?: true;
}

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)`;
const CONTRACTIONS = String.raw`(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`;
const WORDS = (digits: string): string =>
  String.raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?\p{L}+|${digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;

const LLAMA3: PreTokenizer = {
  patterns: [WORDS(String.raw`\p{N}{1,3}`)],
  ignoreMerges: true,
  addBos: true,
};
const QWEN2: PreTokenizer = { patterns: [WORDS(String.raw`\p{N}`)], normalizer: 'NFC' };
const DIGITS_GPT2: PreTokenizer = { patterns: [String.raw`\p{N}`, GPT2] };
const PLAIN_GPT2: PreTokenizer = { patterns: [GPT2] };
const DEFAULT: PreTokenizer = {
  patterns: [String.raw`[\p{P}\$\+<=>\^~\|]+`, GPT2, String.raw`\p{N}+`, '[0-9][0-9][0-9]'],
};

const TABLE: ReadonlyMap<string, PreTokenizer> = new Map<string, PreTokenizer>([
  ['default', DEFAULT],
  ...['llama-bpe', 'llama3', 'llama-v3', 'falcon3', 'pixtral', 'midm-2.0', 'lfm2'].map(
    (name) => [name, LLAMA3] as const,
  ),
  ['smaug-bpe', { patterns: LLAMA3.patterns }],
  ['dbrx', { patterns: LLAMA3.patterns }],
  ...['qwen2', 'deepseek-r1-qwen', 'kormo', 'megrez', 'stablelm2'].map(
    (name) => [name, QWEN2] as const,
  ),
  ...['smollm', 'starcoder', 'refact', 'command-r', 'codeshell', 'minerva-7b'].map(
    (name) => [name, DIGITS_GPT2] as const,
  ),
  ...['gpt-2', 'phi-2', 'olmo', 'mpt', 'trillion'].map((name) => [name, PLAIN_GPT2] as const),
  [
    'tekken',
    {
      patterns: [
        String.raw`[^\r\n\p{L}\p{N}]?${UPPER}*${LOWER}+|[^\r\n\p{L}\p{N}]?${UPPER}+${LOWER}*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
      ],
      ignoreMerges: true,
      addBos: true,
    },
  ],
  [
    'seed-coder',
    {
      patterns: [
        String.raw`${CONTRACTIONS}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+`,
      ],
    },
  ],
]);

/** @param name `tokenizer.ggml.pre`; files of before May 2024 have none, which llama.cpp takes as `default` */
export const preTokenizerOf = (name: string): PreTokenizer | undefined => TABLE.get(name);

/** GPT-2's words. What lies between matches is a word too, so that spaces at the end need no pattern. */
export const GPT2_WORDS = GPT2;

/** Contractions in any case, as the table writes them. */
const canonical = (pattern: string): string =>
  pattern.replaceAll("(?i:'s|'t|'re|'ve|'m|'ll|'d)", CONTRACTIONS);

/** The name of a way to split, the one that llama.cpp's converter writes first; undefined where it has none. */
export function preTokenizerName(
  patterns: readonly string[],
  ignoreMerges: boolean,
): string | undefined {
  const wanted = patterns.map(canonical).join('\n');
  return [...TABLE].find(
    ([, pre]) => pre.patterns.join('\n') === wanted && (pre.ignoreMerges ?? false) === ignoreMerges,
  )?.[0];
}

export const PRE_TOKENIZERS: readonly string[] = [...TABLE.keys()];
