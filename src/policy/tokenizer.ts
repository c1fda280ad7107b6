import { Tokenizer } from '@huggingface/tokenizers';
import type { PolicyTokenizer } from './policy.ts';

/** A tokenizer over the two files of a Hugging Face checkpoint. */
export class HuggingFaceTokenizer implements PolicyTokenizer {
  readonly vocabSize: number;
  readonly endOfText: number;
  private readonly tokenizer: Tokenizer;
  private readonly special: ReadonlyMap<string, number>;

  /**
   * @param json parsed `tokenizer.json`
   * @param config parsed `tokenizer_config.json`; its `eos_token` ends a text
   * @throws Error where the model or the end-of-text token is missing
   */
  constructor(json: object, config: { eos_token?: string | { content: string } | null }) {
    this.tokenizer = new Tokenizer(json, config);
    const added = this.tokenizer.get_added_tokens_decoder();
    this.special = new Map([...added].map(([id, token]) => [token.content, id]));
    const eos = config.eos_token;
    const end = this.special.get((typeof eos === 'string' ? eos : eos?.content) ?? '<|endoftext|>');
    if (end === undefined) throw new Error('the tokenizer has no end-of-text token');
    if (!this.tokenizer.model) throw new Error('the tokenizer has no model');
    this.endOfText = end;
    this.vocabSize = this.tokenizer.get_vocab().size;
  }

  /** Normalizer, pre-tokenizer and model alone: added tokens are never looked for in the text. */
  encodeText(text: string): number[] {
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

  specialId(token: string): number | undefined {
    return this.special.get(token);
  }

  decode(ids: readonly number[]): string {
    if (ids.length === 0) return '';
    return this.tokenizer.decode([...ids], {
      skip_special_tokens: false,
      clean_up_tokenization_spaces: false,
    });
  }
}
