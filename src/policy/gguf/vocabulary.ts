import { CheckpointError } from '../checkpoint/checkpoint-error.ts';
import type { GgufMetadata } from './metadata.ts';

/** `tokenizer.ggml.token_type` (`llama_token_type` in llama.h). */
export const TOKEN_TYPE = {
  normal: 1,
  unknown: 2,
  control: 3,
  userDefined: 4,
  unused: 5,
  byte: 6,
} as const;

export const AGAIN = 'Download the file again, or convert the model with a current llama.cpp';

interface Token {
  readonly id: number;
  readonly text: string;
}

/** An entry of `added_tokens` in a `tokenizer.json`. */
interface AddedEntry {
  readonly id: number;
  readonly content: string;
  readonly single_word: false;
  readonly lstrip: false;
  readonly rstrip: false;
  readonly normalized: boolean;
  readonly special: boolean;
}

/** The tokens of a GGUF file with their types, and typed access to the metadata beside them. */
export class Vocabulary {
  readonly tokens: readonly string[];
  readonly types: ArrayLike<number>;
  readonly metadata: GgufMetadata;
  readonly #file: string;
  #byText: Map<string, number> | null = null;

  /** @throws CheckpointError where tokens are missing, or types are not one per token */
  constructor(metadata: GgufMetadata, file: string) {
    this.metadata = metadata;
    this.#file = file;
    const tokens = metadata.texts('tokenizer.ggml.tokens');
    if (tokens === undefined)
      throw this.error('it has no vocabulary (tokenizer.ggml.tokens)', AGAIN);
    this.tokens = tokens;
    this.types =
      this.perToken('tokenizer.ggml.token_type') ?? tokens.map((): number => TOKEN_TYPE.normal);
  }

  error(problem: string, remedy: string): CheckpointError {
    return new CheckpointError(this.#file, problem, remedy);
  }

  /** One number per token. @throws CheckpointError where there are more or fewer */
  perToken(key: string): ArrayLike<number> | undefined {
    const list = this.metadata.numbers(key);
    if (list && list.length !== this.tokens.length)
      throw this.error(`${key} has ${list.length} entries for ${this.tokens.length} tokens`, AGAIN);
    return list;
  }

  count(type: number): number {
    return Array.from(this.types).filter((each) => each === type).length;
  }

  find(text: string): Token | null {
    this.#byText ??= new Map(this.tokens.map((token, id) => [token, id]));
    const id = this.#byText.get(text);
    return id === undefined ? null : { id, text };
  }

  /** A token that metadata names (`tokenizer.ggml.NAME_token_id`), or the usual one where it does not. */
  special(name: string, usual: Readonly<Record<string, number>>): Token | null {
    const id = this.metadata.number(`tokenizer.ggml.${name}_token_id`) ?? usual[name];
    const text = id === undefined ? undefined : this.tokens[id];
    return id === undefined || text === undefined ? null : { id, text };
  }

  /**
   * Ids by text of the tokens of some types, unused ones left out.
   * @param space what spaces in user-defined tokens are written as: converters write them plainly
   * @param always id of a token that is there whatever its type
   */
  ids(has: (type: number) => boolean, space = ' ', always?: number): Record<string, number> {
    const ids: Record<string, number> = {};
    // Assigned as a property, this name would set the prototype.
    const proto = '__proto__';
    for (const [id, text] of this.tokens.entries()) {
      const type = this.types[id]!;
      if (id !== always && (type === TOKEN_TYPE.unused || !has(type))) continue;
      if (text === proto) Object.defineProperty(ids, text, { value: id, enumerable: true });
      else ids[type === TOKEN_TYPE.userDefined ? text.replaceAll(' ', space) : text] = id;
    }
    return ids;
  }

  /**
   * Control and user-defined tokens as `added_tokens`.
   * @param named ids that metadata names as special: old files mark them as normal ones
   * @param normalized whether user-defined tokens are looked for in the normalised text
   */
  added(named: ReadonlySet<number>, normalized: boolean): AddedEntry[] {
    return this.tokens.flatMap((content, id) => {
      const type = this.types[id];
      const special = type === TOKEN_TYPE.control || type === TOKEN_TYPE.unknown || named.has(id);
      if (content === '' || (!special && type !== TOKEN_TYPE.userDefined)) return [];
      const flags = { single_word: false, lstrip: false, rstrip: false } as const;
      return [{ id, content, ...flags, normalized: normalized && !special, special }];
    });
  }
}
