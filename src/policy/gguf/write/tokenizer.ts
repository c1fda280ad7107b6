import { isObjectOrList } from '../../../base/objects.ts';
import { CheckpointError, parsed, parseJson } from '../../checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../../checkpoint/checkpoint-files.ts';
import { readOptionalFile, readSmallFile } from '../../checkpoint/checkpoint.ts';
import { chatTemplateSource } from '../../open/chat-template.ts';
import { loadTokenizer } from '../../open/load.ts';
import type { GgufMetadata, GgufValue } from './encode.ts';
import { GPT2_WORDS, preTokenizerName } from '../pre-tokenizers.ts';

/** The tokenizer of a Hugging Face folder as llama.cpp reads it. */

const FILE = 'tokenizer.json';
const INSTEAD = 'Export the merged model as safetensors, or the adapter alone, instead';

/** llama.cpp's kinds of tokens. */
const KIND = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

const get = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>(
    (inner, name) => (isObjectOrList(inner) ? Reflect.get(inner, name) : undefined),
    value,
  );
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Steps of a normalizer, pre-tokenizer or decoder, those inside sequences among them. */
function stepsOf(step: unknown): unknown[] {
  if (get(step, 'type') !== 'Sequence') return isObjectOrList(step) ? [step] : [];
  const inner = ['normalizers', 'pretokenizers', 'decoders'].flatMap((name) =>
    listIn(get(step, name)),
  );
  return inner.flatMap(stepsOf);
}

interface Tokens {
  readonly texts: string[];
  readonly kinds: Kind[];
}

/** As `convert_hf_to_gguf.py`: special tokens that some checkpoints do not mark as such. */
const looksSpecial = (text: string): boolean =>
  ['<pad>', '<mask>', '<2mass>', '[@BOS@]'].includes(text) ||
  /^<\|.*\|>$|^<｜.*｜>$|^<unused.*>$/s.test(text);

/** Texts and kinds by id. The embedding may have more rows than the tokenizer tokens; they are filled up. */
function tokensOf(json: object, size: number): Tokens {
  const texts = Array.from({ length: size }, (_, id) => `[PAD${id}]`);
  const kinds = Array.from({ length: size }, (): Kind => KIND.unused);
  const put = (text: string, id: number, kind: Kind): void => {
    if (!(id < size))
      throw new CheckpointError(
        FILE,
        `token ${id} is beyond the ${size} tokens of config.json`,
        INSTEAD,
      );
    texts[id] = text;
    kinds[id] = kind;
  };
  const unknown = get(json, 'model', 'unk_token');
  const bytes = get(json, 'model', 'byte_fallback') === true;
  for (const [text, id] of Object.entries(get(json, 'model', 'vocab') ?? {})) {
    const isByte = bytes && /^<0x[0-9A-F]{2}>$/.test(text);
    const kind = isByte ? KIND.byte : text === unknown ? KIND.unknown : KIND.normal;
    put(text, Number(id), kind);
  }
  for (const token of listIn(get(json, 'added_tokens'))) {
    const [text, id] = [String(get(token, 'content')), Number(get(token, 'id'))];
    const special = get(token, 'special') === true || looksSpecial(text);
    const isUnknown = bytes && text === unknown;
    put(text, id, isUnknown ? KIND.unknown : special ? KIND.control : KIND.userDefined);
  }
  return { texts, kinds };
}

/** Pairs of a BPE model, which older files write as one text with a space. */
const mergesOf = (json: object): [string, string][] =>
  listIn(get(json, 'model', 'merges')).map((merge) => {
    if (typeof merge !== 'string') return [String(get(merge, '0')), String(get(merge, '1'))];
    const space = merge.indexOf(' ', 1);
    return [merge.slice(0, space), merge.slice(space + 1)];
  });

const strings = (value: readonly string[]): GgufValue => ({ type: 'array', of: 'string', value });
const text = (value: string): GgufValue => ({ type: 'string', value });
const bool = (value: boolean): GgufValue => ({ type: 'bool', value });

const field = (value: unknown, name: string): unknown =>
  isObjectOrList(value) ? Reflect.get(value, name) : undefined;

/** Patterns that a step of a pre-tokenizer splits by; null where it does something else. */
function patternsOf(step: unknown): string[] | null {
  switch (field(step, 'type')) {
    case 'ByteLevel':
      if (field(step, 'add_prefix_space') === true) return null;
      return field(step, 'use_regex') === false ? [] : [GPT2_WORDS];
    case 'Digits':
      return field(step, 'individual_digits') === true ? [String.raw`\p{N}`] : null;
    case 'Split': {
      const pattern = field(field(step, 'pattern'), 'Regex');
      const plain = field(step, 'behavior') === 'Isolated' && field(step, 'invert') !== true;
      return plain && typeof pattern === 'string' ? [pattern] : null;
    }
    default:
      return null;
  }
}

/**
 * llama.cpp's name (`tokenizer.ggml.pre`) for how a byte-level tokenizer splits texts: a GGUF file can only name a way,
 * `tokenizer.json` says it in patterns.
 * @param json parsed `tokenizer.json`
 * @returns null where llama.cpp has no such way, or none that is known here
 */
export function preTypeOf(json: object): string | null {
  const whole = field(json, 'pre_tokenizer');
  const steps = field(whole, 'type') === 'Sequence' ? field(whole, 'pretokenizers') : [whole];
  if (!Array.isArray(steps)) return null;
  const patterns = steps.map(patternsOf);
  if (patterns.includes(null)) return null;
  const ignoreMerges = field(field(json, 'model'), 'ignore_merges') === true;
  return (
    preTokenizerName(
      patterns.flatMap((some) => some ?? []),
      ignoreMerges,
    ) ?? null
  );
}

/** Byte-level BPE, which llama.cpp calls gpt2. */
function byteLevel(json: object): [string, GgufValue][] {
  const pre = preTypeOf(json);
  if (pre === null)
    throw new CheckpointError(
      FILE,
      'llama.cpp is not known to split text as its pre_tokenizer does, so a GGUF file would be tokenised wrongly',
      INSTEAD,
    );
  return [
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text(pre)],
    ['tokenizer.ggml.merges', strings(mergesOf(json).map((pair) => pair.join(' ')))],
  ];
}

/**
 * BPE over characters with bytes as a fallback, as SentencePiece makes it; llama.cpp calls it llama. It merges by the
 * scores of tokens, so that a token's score is its first merge's place in the list.
 */
function sentencePiece(json: object, { texts }: Tokens): [string, GgufValue][] {
  const places = new Map<string, number>();
  for (const [place, pair] of mergesOf(json).entries()) {
    const merged = pair.join('');
    if (!places.has(merged)) places.set(merged, place);
  }
  const steps = stepsOf(get(json, 'normalizer')).concat(stepsOf(get(json, 'pre_tokenizer')));
  const prefix = steps.some(
    (step) =>
      get(step, 'type') === 'Prepend' ||
      (get(step, 'type') === 'Metaspace' && get(step, 'prepend_scheme') !== 'never'),
  );
  const scores = texts.map((token) => {
    const place = places.get(token);
    return place === undefined ? 0 : -place;
  });
  return [
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.pre', text('default')],
    ['tokenizer.ggml.scores', { type: 'array', of: 'f32', value: scores }],
    ['tokenizer.ggml.add_space_prefix', bool(prefix)],
  ];
}

const writesSpacesAsMarks = (json: object): boolean =>
  stepsOf(get(json, 'normalizer'))
    .concat(stepsOf(get(json, 'pre_tokenizer')))
    .some((step) => get(step, 'content') === '▁' || get(step, 'type') === 'Metaspace');

function modelOf(json: object, tokens: Tokens): [string, GgufValue][] {
  const type = get(json, 'model', 'type');
  if (type !== 'BPE' && type !== undefined)
    throw new CheckpointError(
      FILE,
      `its model is ${JSON.stringify(type)}; only "BPE" is written`,
      INSTEAD,
    );
  if (get(json, 'model', 'byte_fallback') === true && writesSpacesAsMarks(json))
    return sentencePiece(json, tokens);
  return byteLevel(json);
}

/** Text of a token that is given as text, or as an object with its text. */
const tokenText = (value: unknown): unknown =>
  typeof value === 'string' ? value : get(value, 'content');

/** Keys of ids, by the name of the token in `tokenizer_config.json`. */
const ROLES = [
  ['bos', 'bos'],
  ['eos', 'eos'],
  ['unknown', 'unk'],
  ['padding', 'pad'],
] as const;

/** Tokens that end a turn of a chat. */
const TURN_ENDS = ['<|eot_id|>', '<|im_end|>', '<end_of_turn>'];

function idsOf(
  { texts }: Tokens,
  settings: object,
  config: object,
  endOfText: number,
): [string, GgufValue][] {
  const entry = (role: string, value: number): [string, GgufValue] => [
    `tokenizer.ggml.${role}_token_id`,
    { type: 'u32', value },
  ];
  const ids = ROLES.flatMap(([role, name]) => {
    const named = texts.indexOf(String(tokenText(get(settings, `${name}_token`))));
    const given = get(config, `${name}_token_id`);
    const id = named >= 0 ? named : role === 'eos' ? endOfText : given;
    return typeof id === 'number' && id >= 0 && id < texts.length ? [entry(role, id)] : [];
  });
  const turn = TURN_ENDS.map((end) => texts.indexOf(end)).find((id) => id >= 0);
  return turn === undefined ? ids : [...ids, entry('eot', turn)];
}

/**
 * Tokens, merges or scores, special tokens and chat template of a Hugging Face folder.
 * @param size rows of the embedding
 * @throws CheckpointError that names the file at fault, also where llama.cpp has no such tokenizer
 */
export async function tokenizerMetadata(
  files: CheckpointFiles,
  size: number,
): Promise<GgufMetadata> {
  const optional = async (name: string): Promise<object> => {
    const bytes = await readOptionalFile(files, name);
    return bytes ? parsed(name, () => parseJson(bytes)) : {};
  };
  const bytes = await readSmallFile(files, FILE);
  const json = parsed(FILE, () => parseJson(bytes));
  const [settings, config] = [
    await optional('tokenizer_config.json'),
    await optional('config.json'),
  ];
  const tokenizer = await loadTokenizer(files);
  const tokens = tokensOf(json, size);
  const template = await chatTemplateSource(files);
  return new Map<string, GgufValue>([
    ...modelOf(json, tokens),
    ['tokenizer.ggml.tokens', strings(tokens.texts)],
    ['tokenizer.ggml.token_type', { type: 'array', of: 'i32', value: tokens.kinds }],
    ...idsOf(tokens, settings, config, tokenizer.endOfText),
    ['tokenizer.ggml.add_bos_token', bool(tokenizer.startOfText !== undefined)],
    ...(template === null ? [] : [['tokenizer.chat_template', text(template)] as const]),
  ]);
}
