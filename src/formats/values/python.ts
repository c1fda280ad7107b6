/**
 * Values as Python prints them: `repr` of dicts, lists, tuples, sets and texts, and numpy's arrays, whose items
 * have no commas between them. Training code writes them with `json.dumps(…, default=str)`, pandas into CSV.
 */

const SPACE = /\s*/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_][\w.]*/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['None', null],
  ['True', true],
  ['False', false],
  ['nan', null],
  ['inf', null],
]);
/** What numpy writes around a value. */
const WRAPPER = /^(?:np\.|numpy\.)?(?:array|str_|bool_?|(?:float|int|uint)\d+)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };
const TYPE = /[\s,]*\w+=(?:[\w.]+|'[^']*')/y;
/** Lists within lists beyond which a text is not a value. */
const DEEPEST = 100;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws SyntaxError where the text is not a value, or more than one */
  whole(): unknown {
    const value = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#error();
    return value;
  }

  #error(): SyntaxError {
    return new SyntaxError(`no value of Python at character ${this.#at + 1}`);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): unknown {
    if (depth > DEEPEST) throw this.#error();
    if (this.#take('[')) return this.#items(']', depth).items;
    if (this.#take('(')) return this.#tuple(depth);
    if (this.#take('{')) return this.#braces(depth);
    const quote = this.#text[this.#at];
    if (quote === "'" || quote === '"') return this.#string(quote);
    const number = this.#match(NUMBER);
    if (number !== null) return this.#number(number);
    return this.#word(depth);
  }

  #number(written: string): unknown {
    const value = Number(written);
    const whole = /^[+-]?\d+$/.test(written);
    return whole && !Number.isSafeInteger(value) ? written : value;
  }

  #word(depth: number): unknown {
    const minus = this.#take('-');
    const word = this.#match(WORD) ?? '';
    if (WORDS.has(word) && (!minus || word === 'inf')) return WORDS.get(word);
    if (minus || !WRAPPER.test(word) || !this.#take('(')) throw this.#error();
    const value = this.#value(depth + 1);
    // What follows says the type: dtype=object.
    while (!this.#take(')')) if (this.#match(TYPE) === null) throw this.#error();
    return value;
  }

  #items(close: string, depth: number): { items: unknown[]; commas: number } {
    const items: unknown[] = [];
    let commas = 0;
    while (!this.#take(close)) {
      items.push(this.#value(depth + 1));
      if (this.#take(',')) commas += 1;
    }
    return { items, commas };
  }

  /** `(a)` is a, `(a,)` a tuple of it. */
  #tuple(depth: number): unknown {
    const { items, commas } = this.#items(')', depth);
    if (items.length > 1 && commas < items.length - 1) throw this.#error();
    return items.length === 1 && commas === 0 ? items[0] : items;
  }

  /** A dict, or a set as a list. */
  #braces(depth: number): unknown {
    const members: [string, unknown][] = [];
    const items: unknown[] = [];
    while (!this.#take('}')) {
      const key = this.#value(depth + 1);
      if (this.#take(':')) {
        if (typeof key !== 'string' && typeof key !== 'number') throw this.#error();
        members.push([String(key), this.#value(depth + 1)]);
      } else items.push(key);
      if (!this.#take(',') && this.#text[this.#at] !== '}') throw this.#error();
    }
    if (items.length > 0 && members.length > 0) throw this.#error();
    return items.length > 0 ? items : Object.fromEntries(members);
  }

  #string(quote: string): string {
    let [out, from] = ['', this.#at + 1];
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === quote) {
        this.#at = at + 1;
        return out + this.#text.slice(from, at);
      }
      if (character !== '\\') continue;
      const [escaped, length] = this.#escape(at + 1);
      out += this.#text.slice(from, at) + escaped;
      at += length;
      from = at + 1;
    }
    this.#at = this.#text.length;
    throw this.#error();
  }

  /** @returns [the character, how long its name is] */
  #escape(at: number): [string, number] {
    const name = this.#text[at] ?? '';
    const code = /^(?:x[\da-f]{2}|u[\da-f]{4}|U000[\da-f]{5}|U0010[\da-f]{4})/.exec(
      this.#text.slice(at, at + 9),
    )?.[0];
    if (code !== undefined)
      return [String.fromCodePoint(Number.parseInt(code.slice(1), 16)), code.length];
    // Of any other character, Python keeps the backslash.
    const plain = ESCAPES[name] ?? ('\'"\\'.includes(name) ? name : `\\${name}`);
    return [plain, 1];
  }
}

/**
 * A value from the text that Python prints for it: dicts as objects, sets and tuples as lists, nan as null,
 * integers beyond 2^53 as text.
 * @throws SyntaxError where it is none
 */
export const parsePython = (text: string): unknown => new Reader(text).whole();
