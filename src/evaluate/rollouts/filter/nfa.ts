import { present } from '../../../base/items.ts';

/** Thompson's construction for the regular part of JavaScript's regular expressions. */

/** What the pattern asks for is outside of what can be decided in one pass. */
export class PatternFault extends Error {}

/** `start`, `end` of the text (or of a line), and word boundaries. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside';

type Node =
  | { kind: 'atom'; test: CharTest; next: number }
  | { kind: 'split'; next: number[] }
  | { kind: 'assert'; what: Assertion; next: number }
  | { kind: 'accept' };

type CharTest = (char: string, code: number) => boolean;

export interface Automaton {
  nodes: Node[];
  start: number;
  multiline: boolean;
}

/** Counted repetitions are written out; the automaton stays this small. */
const MAX_NODES = 4000;

const MAX_NESTING = 60;

/** A character class as the platform understands it, remembered for ASCII. */
function testOf(atom: string, flags: string): CharTest {
  const pattern = new RegExp(`^(?:${atom})$`, `${flags.replace('m', '')}u`);
  const ascii = new Uint8Array(128);
  return (char, code) => {
    if (code >= 128) return pattern.test(char);
    if (ascii[code] === 0) ascii[code] = pattern.test(char) ? 1 : 2;
    return ascii[code] === 1;
  };
}

/** One piece of a pattern: builds its nodes in front of `next`, returns its entry. */
type Build = (next: number) => number;

class Compiler {
  readonly nodes: Node[] = [];
  readonly #source: string;
  readonly #flags: string;
  readonly #tests = new Map<string, CharTest>();
  #at = 0;
  #depth = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  add(node: Node): number {
    if (this.nodes.length >= MAX_NODES)
      throw new PatternFault('a pattern whose repetitions make it too large');
    return this.nodes.push(node) - 1;
  }

  #peek(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #sticky(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }

  alternatives(): Build {
    if (++this.#depth > MAX_NESTING) throw new PatternFault('groups that are nested too deeply');
    const options = [this.#sequence()];
    while (this.#peek('|')) {
      this.#at++;
      options.push(this.#sequence());
    }
    this.#depth--;
    const [only, ...others] = options;
    if (only && others.length === 0) return only;
    return (next) => this.add({ kind: 'split', next: options.map((build) => build(next)) });
  }

  #sequence(): Build {
    const items: Build[] = [];
    while (this.#at < this.#source.length && !this.#peek('|') && !this.#peek(')'))
      items.push(this.#repeated(this.#term()));
    return (next) => items.reduceRight((after, build) => build(after), next);
  }

  #assertion(what: Assertion): Build {
    return (next) => this.add({ kind: 'assert', what, next });
  }

  #term(): Build {
    if (this.#peek('(')) return this.#group();
    if (this.#sticky(/\^/y)) return this.#assertion('start');
    if (this.#sticky(/\$/y)) return this.#assertion('end');
    if (this.#sticky(/\\b/y)) return this.#assertion('boundary');
    if (this.#sticky(/\\B/y)) return this.#assertion('inside');
    if (this.#sticky(/\\[1-9k]/y)) throw new PatternFault('a back reference');
    const match = this.#sticky(
      /\[(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[A-Za-z]|\\[pP]\{[^}]*\}|\\.|[^]/uy,
    );
    const atom = present(match, 'the next character of the pattern')[0];
    const test = this.#tests.get(atom) ?? testOf(atom, this.#flags);
    this.#tests.set(atom, test);
    return (next) => this.add({ kind: 'atom', test, next });
  }

  #group(): Build {
    const opening = this.#sticky(/\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/y);
    if (!opening) throw new PatternFault('look-around or modifiers');
    const body = this.alternatives();
    // The closing parenthesis: the platform has checked that it is there.
    this.#at++;
    return body;
  }

  #repeated(item: Build): Build {
    const match = this.#sticky(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y);
    if (!match) return item;
    const [, sign, low, comma, high] = match;
    if (sign === '*') return this.#loop(item);
    if (sign === '+') return this.#counted(item, 1, Infinity);
    if (sign === '?') return this.#counted(item, 0, 1);
    const least = Number(low);
    const most = comma === '' ? least : high === '' ? Infinity : Number(high);
    return this.#counted(item, least, most);
  }

  #loop(item: Build): Build {
    return (next) => {
      const split = { kind: 'split' as const, next: [] as number[] };
      const at = this.add(split);
      split.next.push(item(at), next);
      return at;
    };
  }

  #counted(item: Build, least: number, most: number): Build {
    const copies = most === Infinity ? least : most;
    if (copies > MAX_NODES) throw new PatternFault(`a count of ${copies}`);
    return (next) => {
      let entry = most === Infinity ? this.#loop(item)(next) : next;
      for (let i = least; i < copies; i++)
        entry = this.add({ kind: 'split', next: [item(entry), next] });
      for (let i = 0; i < least; i++) entry = item(entry);
      return entry;
    };
  }
}

/** @throws PatternFault for look-around, back references and patterns that would be too large */
export function compileNfa(source: string, flags: string): Automaton {
  const compiler = new Compiler(source, flags);
  const build = compiler.alternatives();
  const start = build(compiler.add({ kind: 'accept' }));
  return { nodes: compiler.nodes, start, multiline: flags.includes('m') };
}
