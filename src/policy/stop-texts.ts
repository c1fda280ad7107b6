import type { GenerateOptions } from './policy.ts';

/** UTF-8 length, an upper bound on the tokens that a text may be cut into. */
const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Tokens that add no text, or halves of characters, must not push a stop text out of the window. */
const SPARE_TOKENS = 8;

/**
 * Watches the tokens of one `generate` call for `stopTexts`. Only a tail is decoded each time, as
 * many tokens as the longest stop text has bytes and a few more, since no token is shorter than one.
 */
export class StopTexts {
  readonly #texts: readonly string[];
  readonly #decode: (ids: readonly number[]) => string;
  readonly #window: number;
  #prefix: string;
  #tail: number[] = [];

  constructor(
    { stopTexts = [], stopPrefix = '' }: Pick<GenerateOptions, 'stopTexts' | 'stopPrefix'>,
    decode: (ids: readonly number[]) => string,
  ) {
    this.#texts = stopTexts.filter((text) => text !== '');
    this.#prefix = stopPrefix;
    this.#decode = decode;
    this.#window = Math.max(0, ...this.#texts.map(byteLength)) + SPARE_TOKENS;
  }

  /** Takes the next token. @returns whether the text now holds a stop text */
  push(id: number): boolean {
    if (this.#texts.length === 0) return false;
    this.#tail.push(id);
    if (this.#tail.length > this.#window) {
      this.#tail.shift();
      this.#prefix = '';
    }
    const text = this.#prefix + this.#decode(this.#tail);
    return this.#texts.some((stop) => text.includes(stop));
  }
}
