import { PRE_TOKENIZERS, preTokenizerOf, type PreTokenizer } from './pre-tokenizers.ts';
import type { GgufMetadata } from './metadata.ts';
import { AGAIN, TOKEN_TYPE, Vocabulary } from './vocabulary.ts';

/**
 * The tokenizer of a GGUF file (metadata `tokenizer.*`) as the files that a Hugging Face checkpoint has: the same
 * library reads both, and what is exported from Forage runs in transformers.
 */
export interface GgufTokenizer {
  /** `tokenizer.json`. */
  readonly tokenizer: object;
  /** `tokenizer_config.json`: special tokens and the chat template. */
  readonly config: Record<string, unknown>;
  /** `generation_config.json`: ids that end a text or a turn, and what the model's authors sample with. */
  readonly generation: Readonly<Record<string, number | readonly number[]>>;
}

/** Texts of tokens that end a turn or a text: llama.cpp looks for them where metadata names none. */
const TURN_ENDS = [
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<EOT>',
  '<｜end▁of▁sentence｜>',
];

/** Names of `generation_config.json` by those of llama.cpp's metadata, `general.sampling.*`. */
const SAMPLING: Readonly<Record<string, string>> = {
  temp: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
};

/** Values are float32: 0.7 is 0.699999988 there. */
const sampling = (metadata: GgufMetadata): Record<string, number> =>
  Object.fromEntries(
    Object.entries(SAMPLING).flatMap(([key, name]) => {
      const value = metadata.number(`general.sampling.${key}`);
      return value === undefined ? [] : [[name, Number(value.toPrecision(6))] as const];
    }),
  );

/** Ids of SentencePiece files that name none: those of Llama 2. */
const LLAMA_IDS: Readonly<Record<string, number>> = { bos: 1, eos: 2, unknown: 0 };

interface Parts {
  /** Whether user-defined tokens are looked for in the normalised text, as SentencePiece does. */
  readonly matchNormalized: boolean;
  readonly normalizer: object | null;
  readonly pre_tokenizer: object | null;
  readonly decoder: object;
  readonly model: object;
}

/** `word.find(' ', 1)` of llama.cpp: a merge may begin with a space. */
function mergeOf(line: string): [string, string] | null {
  const at = line.indexOf(' ', 1);
  return at < 0 ? null : [line.slice(0, at), line.slice(at + 1)];
}

const byteLevel = (useRegex: boolean): object => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: false,
  use_regex: useRegex,
});

/** Byte-level BPE (`tokenizer.ggml.model` = `gpt2`). */
function bytePairParts(vocabulary: Vocabulary, pre: PreTokenizer): Parts {
  const lines = vocabulary.metadata.texts('tokenizer.ggml.merges');
  if (lines === undefined)
    throw vocabulary.error('its tokenizer has no merges (tokenizer.ggml.merges)', AGAIN);
  const merges = lines.map((line) => {
    const merge = mergeOf(line);
    if (!merge)
      throw vocabulary.error(`tokenizer.ggml.merges: ${JSON.stringify(line)} is not a pair`, AGAIN);
    return merge;
  });
  return {
    matchNormalized: false,
    normalizer: pre.normalizer ? { type: pre.normalizer } : null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        ...pre.patterns.map((Regex) => ({
          type: 'Split',
          pattern: { Regex },
          behavior: 'Isolated',
          invert: false,
        })),
        byteLevel(false),
      ],
    },
    decoder: byteLevel(false),
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: pre.ignoreMerges ?? false,
      vocab: vocabulary.ids((type) => type === TOKEN_TYPE.normal),
      merges,
    },
  };
}

const SPACE = '▁';

/** Longer than any published token; each is tried at every place where it can be cut in two. */
const LONGEST = 256;

/**
 * The merges that a SentencePiece vocabulary with scores stands for, best first: every way to put a token together
 * from two others, in the order of the token's score. User-defined tokens come first, as SentencePiece cuts a text
 * at them before it merges anything.
 *
 * @param space what spaces in user-defined tokens are written as
 */
function scoreMerges(
  vocabulary: Vocabulary,
  scores: ArrayLike<number>,
  space: string,
): [string, string][] {
  const { tokens, types } = vocabulary;
  const ids = new Map<string, number>();
  const [user, normal]: [number[], number[]] = [[], []];
  for (const [id, text] of tokens.entries())
    if (types[id] === TOKEN_TYPE.normal) {
      ids.set(text, id);
      normal.push(id);
    } else if (types[id] === TOKEN_TYPE.userDefined) {
      ids.set(text.replaceAll(' ', space), id);
      user.push(id);
    }
  normal.sort((a, b) => scores[b]! - scores[a]! || a - b);
  const merges: [string, string][] = [];
  const add = (text: string): void => {
    if (text.length > LONGEST) return;
    const found: { left: number; right: number; pair: [string, string] }[] = [];
    for (let at = 1; at < text.length; at++) {
      const first = text.slice(0, at);
      const left = ids.get(first);
      if (left === undefined) continue;
      const second = text.slice(at);
      const right = ids.get(second);
      if (right !== undefined) found.push({ left, right, pair: [first, second] });
    }
    if (found.length > 1) found.sort((a, b) => a.left - b.left || a.right - b.right);
    for (const { pair } of found) merges.push(pair);
  };
  for (const id of user) add(tokens[id]!.replaceAll(' ', space));
  for (const id of normal) add(tokens[id]!);
  return merges;
}

/**
 * SentencePiece BPE with scores (`tokenizer.ggml.model` = `llama`): of all adjacent pairs that form a token, the one
 * with the highest score is merged first; what is in no token becomes bytes.
 */
function sentencePieceParts(vocabulary: Vocabulary): Parts {
  const scores = vocabulary.perToken('tokenizer.ggml.scores');
  if (scores === undefined)
    throw vocabulary.error('its tokenizer has no scores (tokenizer.ggml.scores)', AGAIN);
  const prefix = vocabulary.metadata.flag('tokenizer.ggml.add_space_prefix') ?? true;
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
  const unknown = vocabulary.special('unknown', LLAMA_IDS);
  return {
    // With a prefix, the normaliser would put it before each token that is looked for.
    matchNormalized: !prefix,
    normalizer: prefix
      ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: SPACE }, spaces] }
      : spaces,
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...(prefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: unknown?.text ?? null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: vocabulary.count(TOKEN_TYPE.byte) === 256,
      ignore_merges: false,
      vocab: vocabulary.ids((type) => type !== TOKEN_TYPE.control, SPACE, unknown?.id),
      merges: scoreMerges(vocabulary, scores, SPACE),
    },
  };
}

/** Puts the BOS token before a text. */
const beginsWith = (text: string, id: number): object => ({
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: text, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: text, type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: text, type_id: 1 } },
    { Sequence: { id: 'B', type_id: 1 } },
  ],
  special_tokens: { [text]: { id: text, ids: [id], tokens: [text] } },
});

/** `tokenizer.chat_template`, with the named ones that some files have beside it. */
function chatTemplates(vocabulary: Vocabulary): unknown {
  const main = vocabulary.metadata.text('tokenizer.chat_template');
  const named = (vocabulary.metadata.texts('tokenizer.chat_templates') ?? []).flatMap((name) => {
    const template = vocabulary.metadata.text(`tokenizer.chat_template.${name}`);
    return template === undefined ? [] : [{ name, template }];
  });
  if (named.length === 0) return main;
  return [...(main === undefined ? [] : [{ name: 'default', template: main }]), ...named];
}

/** @throws CheckpointError where Forage knows no such tokenizer */
function partsOf(vocabulary: Vocabulary): Parts & { addBos: boolean } {
  const model = vocabulary.metadata.text('tokenizer.ggml.model');
  if (model === 'llama') return { ...sentencePieceParts(vocabulary), addBos: true };
  if (model !== 'gpt2')
    throw vocabulary.error(
      model === undefined
        ? 'it has no tokenizer (tokenizer.ggml.model)'
        : `Forage cannot read its tokenizer, ${JSON.stringify(model)}`,
      'Open a model with a gpt2 (BPE) or llama (SentencePiece) tokenizer',
    );
  const name = vocabulary.metadata.text('tokenizer.ggml.pre') ?? 'default';
  const pre = preTokenizerOf(name);
  if (!pre)
    throw vocabulary.error(
      `Forage does not know how its tokenizer splits words (tokenizer.ggml.pre is ${JSON.stringify(name)})`,
      `Known are ${PRE_TOKENIZERS.join(', ')}; open a model with one of these`,
    );
  return { ...bytePairParts(vocabulary, pre), addBos: pre.addBos ?? false };
}

/** @param file named in errors. @throws CheckpointError that names what is missing or unknown */
export function tokenizerOfGguf(metadata: GgufMetadata, file: string): GgufTokenizer {
  const vocabulary = new Vocabulary(metadata, file);
  const { addBos, matchNormalized, ...parts } = partsOf(vocabulary);
  const isLlama = vocabulary.metadata.text('tokenizer.ggml.model') === 'llama';
  const special = (name: string) => vocabulary.special(name, isLlama ? LLAMA_IDS : {});
  const [bos, eos] = [special('bos'), special('eos')];
  const ends = [
    eos,
    special('eot'),
    special('eom'),
    ...TURN_ENDS.map((text) => vocabulary.find(text)),
  ].flatMap((token) => (token ? [token] : []));
  const [end] = ends;
  if (!end)
    throw vocabulary.error(
      'its tokenizer names no end-of-text token (tokenizer.ggml.eos_token_id)',
      AGAIN,
    );
  const post =
    (vocabulary.metadata.flag('tokenizer.ggml.add_bos_token') ?? addBos) && bos ? bos : null;
  const padding = special('padding');
  const named = new Set(
    [bos, padding, special('unknown'), ...ends].flatMap((token) => (token ? [token.id] : [])),
  );
  const templates = chatTemplates(vocabulary);
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: vocabulary.added(named, matchNormalized),
      ...parts,
      post_processor: post ? beginsWith(post.text, post.id) : null,
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: false,
      add_bos_token: post !== null,
      eos_token: end.text,
      ...(bos && { bos_token: bos.text }),
      ...(padding && { pad_token: padding.text }),
      ...(templates !== undefined && { chat_template: templates }),
    },
    generation: { eos_token_id: [...new Set(ends.map(({ id }) => id))], ...sampling(metadata) },
  };
}
