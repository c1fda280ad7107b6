/**
 * Whether a regular expression of a stranger can be run over any text. A browser cannot stop one that
 * backtracks without end, so what might is refused before it is run: repetitions whose content can be
 * cut in several ways, which cost exponential time, and two repetitions of the same characters with a
 * condition after them, which cost cubic time. What is left takes at most quadratic time. The check is
 * on the safe side; the splitting patterns of published tokenizers (GPT-2, GPT-4o, Llama 3, Qwen 2 and 3,
 * SmolLM, DeepSeek, Falcon, Bloom) pass it.
 */

/** Longest published pattern: GPT-4o's, some 400 characters. */
const LONGEST = 4000;
const DEEPEST = 50;
/** A group that is repeated at most so often stands for its copies. */
const MOST_COPIES = 3;
/** Ways to read a row by alternatives and optional parts alone; published patterns have up to 16. */
const MOST_WAYS = 1000;

/** What a part of a pattern can match. */
interface Part {
  /** Source of the characters of an unbounded repetition, each with whether something may fail after it. */
  readonly loops: readonly string[];
  /** Whether the part can match the empty text. */
  readonly nullable: boolean;
  /** One character exactly, or a fixed row of them: repeating it can be read in one way only. */
  readonly fixed: boolean;
  /** Ways to read it by alternatives and optional parts, repetitions counted once. */
  readonly ways: number;
}

const single = (nullable: boolean): Part => ({ loops: [], nullable, fixed: true, ways: 1 });

/** Representatives of what patterns distinguish; two classes overlap where both match one of these. */
const SAMPLES: readonly string[] = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)),
  ...Array.from('ǅʰאبαаเไ一東あアー가्́፩Ⅳ‘“–—…€∑→■️🏽🦊‍\u2028\u3000\ufeff\u00a0\u200b\u2003０Ａ'),
];

const overlaps = (a: string, b: string): boolean => {
  const [first, second] = [new RegExp(`^(?:${a})$`, 'u'), new RegExp(`^(?:${b})$`, 'u')];
  return SAMPLES.some((sample) => first.test(sample) && second.test(sample));
};

class CostlyPattern extends Error {}

function needsCubicTime(loops: readonly string[]): boolean {
  return loops.some((a, i) => loops.slice(i + 1).some((b) => overlaps(a, b)));
}

/** Reads a pattern in the syntax that JavaScript and Oniguruma share. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws Costly */
  check(): void {
    this.#either();
    if (this.#at < this.#text.length)
      throw new CostlyPattern('has a bracket without its other one');
  }

  #take(pattern: RegExp): string | null {
    const sticky = new RegExp(pattern.source, 'yu');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #either(): Part {
    if (++this.#depth > DEEPEST) throw new CostlyPattern('is nested too deep');
    const parts = [this.#row()];
    while (this.#take(/\|/)) parts.push(this.#row());
    this.#depth--;
    const [only, ...others] = parts;
    if (only && others.length === 0) return only;
    return {
      loops: parts.flatMap(({ loops }) => loops),
      nullable: parts.some(({ nullable }) => nullable),
      fixed: false,
      ways: parts.reduce((sum, { ways }) => sum + ways, 0),
    };
  }

  /** Parts one after another. */
  #row(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at)))
      parts.push(this.#repeated());
    // A repetition that ends the row, or is followed by nothing that can fail, never goes back.
    const last = parts.findLastIndex(({ nullable }) => !nullable);
    const pending = parts.filter((_, i) => i < last).flatMap(({ loops }) => loops);
    if (needsCubicTime(pending))
      throw new CostlyPattern('repeats the same characters twice before a condition');
    const ways = parts.reduce((product, part) => product * part.ways, 1);
    if (ways > MOST_WAYS) throw new CostlyPattern('can be read in too many ways');
    return {
      loops: parts.flatMap(({ loops }) => loops),
      nullable: last < 0,
      fixed: parts.every(({ fixed }) => fixed),
      ways,
    };
  }

  #repeated(): Part {
    const start = this.#at;
    const part = this.#atom();
    const source = this.#text.slice(start, this.#at);
    const times = this.#take(/[*+?]|\{\d*,?\d*\}/);
    if (times === null) return part;
    this.#take(/[?+]/);
    const [least, most] = timesOf(times);
    if (most <= 1 && least === 0)
      return { ...part, nullable: true, fixed: false, ways: part.ways + 1 };
    if (!part.fixed || part.nullable) return this.#copies(part, most, least);
    if (most === least) return part;
    // A group holds several characters: it is taken to overlap with whatever else is repeated.
    const loop = source.startsWith('(') ? '[^]' : source;
    return { loops: [loop], nullable: least === 0, fixed: false, ways: 1 };
  }

  /** A part that can be read in several ways may only be repeated a few times. */
  #copies(part: Part, most: number, least: number): Part {
    if (most > MOST_COPIES) throw new CostlyPattern('repeats what can be read in several ways');
    return {
      loops: Array.from({ length: most }, () => part.loops).flat(),
      nullable: part.nullable || least === 0,
      fixed: false,
      ways: (part.ways + 1) ** most,
    };
  }

  #atom(): Part {
    const group = this.#take(/\((?:\?(?:<[=!]|<[A-Za-z_]\w*>|[a-z]*(?:-[a-z]+)?:|[:=!>]))?/);
    if (group !== null) {
      const inner = this.#either();
      if (!this.#take(/\)/)) throw new CostlyPattern('has a bracket without its other one');
      // Look-around stands between characters; what it holds is read again at each place.
      if (/[=!]$/.test(group)) return { ...inner, nullable: false, fixed: false };
      return inner;
    }
    if (this.#take(/[$^]|\\[bBAzZG]/)) return single(false);
    if (this.#take(/\\(?:[1-9]|k<)/)) throw new CostlyPattern('refers back to what was read');
    const one =
      this.#class() ??
      this.#take(/\\(?:[pPxu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])|[^\\]/);
    if (one === null) throw new CostlyPattern('ends too soon');
    return single(false);
  }

  /** A class of characters, with classes inside it. */
  #class(): string | null {
    if (this.#text[this.#at] !== '[') return null;
    const start = this.#at;
    let depth = 0;
    do {
      if (this.#at >= this.#text.length)
        throw new CostlyPattern('has a bracket without its other one');
      const char = this.#text[this.#at];
      if (char === '\\') this.#at++;
      else if (char === '[') depth++;
      else if (char === ']') depth--;
      this.#at++;
    } while (depth > 0);
    return this.#text.slice(start, this.#at);
  }
}

/** Least and most of a quantifier. */
function timesOf(text: string): [number, number] {
  if (text === '*') return [0, Infinity];
  if (text === '+') return [1, Infinity];
  if (text === '?') return [0, 1];
  const [least = '', most] = text.slice(1, -1).split(',');
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most === '' ? Infinity : Number(most)];
}

/** Why a regular expression is not run; null where it is. */
export function costOfPattern(source: string): string | null {
  if (source.length > LONGEST) return `has ${source.length} characters`;
  try {
    new Reader(source).check();
    return null;
  } catch (error) {
    if (error instanceof CostlyPattern) return error.message;
    // A class that JavaScript does not know: nothing can be said of what it repeats.
    if (error instanceof SyntaxError) return 'has characters that are not understood';
    throw error;
  }
}
