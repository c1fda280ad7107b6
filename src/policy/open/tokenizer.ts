import { Tokenizer, type AddedToken } from '@huggingface/tokenizers';
import { checkTokenizer } from '../../formats/tokenizer/check.ts';
import { messageOf } from '../../base/errors.ts';
import { AGAIN, CheckpointError } from '../checkpoint/checkpoint-error.ts';
import type { PolicyTokenizer } from '../policy.ts';

/**
 * Finds added tokens in a text as Hugging Face's `tokenizers` does in Rust (`AddedVocabulary`). The JavaScript library
 * passes over `single_word`, and takes a piece for an added token wherever it reads like one.
 */

/** A stretch of a text: an added token, or text without any. */
interface Piece {
  /** null for text. */
  readonly token: AddedToken | null;
  readonly text: string;
  /** Where it begins. */
  readonly at: number;
}

interface Node {
  token?: AddedToken;
  readonly next: Map<string, Node>;
}

/** What Rust's `\w` stands for. */
const WORD = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`;
const ENDS_IN_WORD = new RegExp(`${WORD}$`, 'u');
const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, 'u');
const SPACE = /^\p{White_Space}$/u;

/** Whether a character of a word stands right before or after a stretch. A character has at most two units. */
const touchesWord = (text: string, from: number, to: number): boolean =>
  ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from)) ||
  BEGINS_WITH_WORD.test(text.slice(to, to + 2));

/** Where the white space before a place begins, at `least` at the earliest. */
function spaceBefore(text: string, at: number, least: number): number {
  let from = at;
  while (from > least && SPACE.test(text[from - 1]!)) from -= 1;
  return Math.max(from, least);
}

/** Where the white space after a place ends. */
function spaceAfter(text: string, at: number): number {
  let to = at;
  while (to < text.length && SPACE.test(text[to]!)) to += 1;
  return to;
}

/** Cuts texts at the tokens of a list: the first that begins, of those the longest. */
class AddedTokenSplitter {
  readonly #root: Node = { next: new Map() };

  /** @param tokens with what each reads like in the texts that are cut */
  constructor(tokens: Iterable<readonly [written: string, token: AddedToken]>) {
    for (const [written, token] of tokens) {
      if (written === '') continue;
      let node = this.#root;
      for (const unit of written.split('')) {
        const next = node.next.get(unit) ?? { next: new Map<string, Node>() };
        node.next.set(unit, next);
        node = next;
      }
      node.token ??= token;
    }
  }

  #longestAt(text: string, from: number): { token: AddedToken; end: number } | null {
    let found: { token: AddedToken; end: number } | null = null;
    let node: Node | undefined = this.#root;
    for (let at = from; at < text.length; at++) {
      node = node.next.get(text[at]!);
      if (!node) break;
      if (node.token) found = { token: node.token, end: at + 1 };
    }
    return found;
  }

  split(text: string): Piece[] {
    const pieces: Piece[] = [];
    let taken = 0;
    let at = 0;
    while (at < text.length) {
      const match = this.#longestAt(text, at);
      if (!match) {
        at += 1;
        continue;
      }
      const { token, end } = match;
      if (!(token.single_word && touchesWord(text, at, end))) {
        const from = token.lstrip ? spaceBefore(text, at, taken) : at;
        const to = token.rstrip ? spaceAfter(text, end) : end;
        if (from > taken) pieces.push({ token: null, text: text.slice(taken, from), at: taken });
        pieces.push({ token, text: text.slice(from, to), at: from });
        taken = to;
      }
      at = end;
    }
    if (taken < text.length) pieces.push({ token: null, text: text.slice(taken), at: taken });
    return pieces;
  }
}

/** Cuts a text into tokens, added ones recognised; nothing is put before or after it. */
class AddedTokenEncoder {
  readonly #tokenizer: Tokenizer;
  /** Tokens that are looked for in the text, and those that are looked for once it was normalised. */
  readonly #plain: AddedTokenSplitter;
  readonly #normalised: AddedTokenSplitter;

  constructor(tokenizer: Tokenizer) {
    const { normalizer, model } = tokenizer;
    this.#tokenizer = tokenizer;
    const added = [...tokenizer.get_added_tokens_decoder().values()];
    const normal = (token: AddedToken): string =>
      normalizer ? normalizer(token.content) : token.content;
    this.#plain = new AddedTokenSplitter(
      added.filter((token) => !token.normalized).map((token) => [token.content, token]),
    );
    const normalised = added.filter((token) => token.normalized);
    this.#normalised = new AddedTokenSplitter(normalised.map((token) => [normal(token), token]));
    // Since 0.22 Rust decodes such a token as what was found in the text.
    if (model) for (const token of normalised) model.vocab[token.id] = normal(token);
  }

  /** @throws Error where the vocabulary lacks a piece of the text */
  encode(text: string): number[] {
    const { normalizer } = this.#tokenizer;
    return this.#plain.split(text).flatMap(({ token, text: section, at }) => {
      if (token) return [token.id];
      const normal = normalizer ? normalizer(section) : section;
      return this.#normalised
        .split(normal)
        .flatMap((piece) =>
          piece.token ? [piece.token.id] : this.#ids(piece.text, at === 0 && piece.at === 0),
        );
    });
  }

  #ids(text: string, isFirst: boolean): number[] {
    const { pre_tokenizer: split, model } = this.#tokenizer;
    if (!model) throw new Error('there is no model');
    // Metaspace may put its mark before the first piece only.
    const pieces = split ? split(text, { section_index: isFirst ? 0 : 1 }) : [text];
    return model(pieces).map((piece) => {
      const id = model.tokens_to_ids.get(piece) ?? model.unk_token_id;
      if (id === undefined) throw new Error('the vocabulary lacks a piece of it');
      return id;
    });
  }
}

/** The library compares each with all others. */
const MOST_EXTRA = 10_000;

/** Tokens that end a turn in the chat formats of Llama 3, Qwen and SmolLM (ChatML), Gemma, and Harmony. */
const TURN_ENDS = [
  '<|eot_id|>',
  '<|eom_id|>',
  '<|im_end|>',
  '<end_of_turn>',
  '<|call|>',
  '<|return|>',
];

/** Text of one letter, which every vocabulary can write. */
const PROBE = 'a';

/** `eos_token_id` of a `generation_config.json`: one id, several, or none. */
const idsIn = (given: unknown): number[] =>
  (Array.isArray(given) ? (given as unknown[]) : [given]).filter(
    (id): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0,
  );

const FILE = 'tokenizer.json';

/** Runs the library, whose own errors say nothing to a user: settings that do not fit together. */
function asCheckpointError<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    // The platform's own errors speak of the library's insides, except for those of a pattern's syntax.
    const own = error instanceof SyntaxError || (error instanceof Error && error.name === 'Error');
    const why = own
      ? messageOf(error).replaceAll(/undefined|\[object \w+\]/g, 'none')
      : 'its settings do not fit';
    throw new CheckpointError(FILE, `${what}: ${why}`, AGAIN);
  }
}

/** A tokenizer over the files of a Hugging Face checkpoint. */
export class HuggingFaceTokenizer implements PolicyTokenizer {
  readonly vocabSize: number;
  readonly endOfText: number;
  /** All tokens that end a turn, `endOfText` first. */
  readonly endIds: readonly number[];
  readonly startOfText?: number;
  private readonly tokenizer: Tokenizer;
  private readonly withAdded: AddedTokenEncoder;
  private readonly special: ReadonlyMap<string, number>;

  /**
   * @param json parsed `tokenizer.json`
   * @param config parsed `tokenizer_config.json`; its `eos_token` ends a text
   * @param generation parsed `generation_config.json`, which may name more ids that end a text
   * @throws CheckpointError where the tokenizer cannot be made or used; Error where the end-of-text token
   *   is missing
   */
  constructor(
    json: object,
    config: { eos_token?: string | { content: string } | null },
    generation: { eos_token_id?: unknown } = {},
  ) {
    checkTokenizer(json);
    const extra: unknown = Reflect.get(config, 'additional_special_tokens');
    if (Array.isArray(extra) && extra.length > MOST_EXTRA)
      throw new Error(`additional_special_tokens: ${extra.length} tokens are too many`);
    this.tokenizer = asCheckpointError(
      'no tokenizer can be made of it',
      () => new Tokenizer(json, config),
    );
    const added = this.tokenizer.get_added_tokens_decoder();
    this.special = new Map([...added].map(([id, token]) => [token.content, id]));
    const eos = config.eos_token;
    if (!this.tokenizer.model) throw new Error('the tokenizer has no model');
    this.vocabSize = this.tokenizer.get_vocab().size;
    this.withAdded = asCheckpointError(
      'no tokenizer can be made of it',
      () => new AddedTokenEncoder(this.tokenizer),
    );
    const named = this.special.get(
      (typeof eos === 'string' ? eos : eos?.content) ?? '<|endoftext|>',
    );
    const listed = idsIn(generation.eos_token_id).filter((id) => id < this.vocabSize);
    const end = named ?? listed[0];
    if (end === undefined) throw new Error('the tokenizer has no end-of-text token');
    this.endOfText = end;
    const turns = TURN_ENDS.flatMap((token) => this.special.get(token) ?? []);
    this.endIds = [...new Set([end, ...listed, ...turns])];
    const start = this.firstSpecial();
    if (start !== undefined) this.startOfText = start;
  }

  /**
   * What the post-processor puts before a text, as transformers 5 does: `bos_token` and `add_bos_token`
   * of a `tokenizer_config.json` say nothing beside a `tokenizer.json`.
   */
  private firstSpecial(): number | undefined {
    const [first] = this.tokenizer.encode(PROBE).ids;
    const [plain] = this.encodeTemplate(PROBE);
    return first === plain ? undefined : first;
  }

  /** Normalizer, pre-tokenizer and model alone: added tokens are never looked for in the text. */
  encodeText(text: string): number[] {
    return asCheckpointError('a text cannot be cut into tokens', () => this.#cut(text));
  }

  #cut(text: string): number[] {
    const { normalizer, pre_tokenizer: split, model } = this.tokenizer;
    if (text === '' || !model) return [];
    const normal = normalizer ? normalizer(text) : text;
    const pieces = split ? split(normal) : [normal];
    return model(pieces).map((piece) => {
      const id = model.tokens_to_ids.get(piece);
      if (id === undefined) throw new Error(`the vocabulary lacks ${JSON.stringify(piece)}`);
      return id;
    });
  }

  /**
   * Encodes text in which added tokens are recognised, such as what a chat template renders; nothing
   * is put before or after it. What users or passages wrote is recognised too, as in transformers.
   */
  encodeTemplate(text: string): number[] {
    if (text === '') return [];
    return asCheckpointError('a text cannot be cut into tokens', () => this.withAdded.encode(text));
  }

  specialId(token: string): number | undefined {
    return this.special.get(token);
  }

  decode(ids: readonly number[]): string {
    if (ids.length === 0) return '';
    return asCheckpointError('tokens cannot be made a text', () =>
      this.tokenizer.decode([...ids], {
        skip_special_tokens: false,
        clean_up_tokenization_spaces: false,
      }),
    );
  }
}
