/**
 * Where a server takes no beginning of an answer (`alternate`), a block that the environment opened
 * is at the end of the user's message, and the model's reply may begin with it again. That
 * repetition is cut from the reply, so that the context holds it once.
 */

/** A tag and what follows it, at the end of a text, without another tag: a block that is left open. */
const OPEN_BLOCK = /<[a-z_]+>[^<>]*$/;

/** The block that a text leaves open, from its tag on; empty where there is none. */
export const openBlock = (text: string): string => OPEN_BLOCK.exec(text)?.[0] ?? '';

const bare = (text: string): string => text.replace(/\s+/g, '');

export class Echo {
  /** What may be repeated, without white space; empty once that is decided. */
  #expected: string;
  #held = '';

  /** @param given text that the reply follows */
  constructor(given: string) {
    this.#expected = bare(openBlock(given));
  }

  /** Whether texts still have to pass through here. */
  get undecided(): boolean {
    return this.#expected !== '';
  }

  /** Takes the reply's next text. @returns what of the reply is known to be new */
  push(text: string): string {
    this.#held += text;
    const expected = this.#expected;
    const said = bare(this.#held);
    if (expected.startsWith(said) && said !== expected) return '';
    this.#expected = '';
    return said.startsWith(expected) ? this.#behind(expected.length) : this.#held;
  }

  /** The reply is over. @returns what was held back */
  end(): string {
    const held = this.undecided ? this.#held : '';
    this.#expected = '';
    return held;
  }

  /** What is held after its first `count` characters that are no white space. */
  #behind(count: number): string {
    let seen = 0;
    for (let i = 0; i < this.#held.length; i++) {
      if (/\S/.test(this.#held[i] ?? '')) seen++;
      if (seen === count) return this.#held.slice(i + 1);
    }
    return '';
  }
}
