import { Tokenizer } from '@huggingface/tokenizers';
import { checkTokenizer } from '../../formats/tokenizer/check.ts';
import { messageOf } from '../../base/errors.ts';
import { AGAIN, CheckpointError } from '../checkpoint/checkpoint-error.ts';
import type { PolicyTokenizer } from '../policy.ts';
import { AddedTokenEncoder } from './added-tokens.ts';

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
