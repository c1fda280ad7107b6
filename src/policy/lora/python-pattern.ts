/**
 * Regular expressions of Python's `re`, as PEFT's settings hold them, on names of modules. JavaScript's own engine
 * reads some of them otherwise (`\Z`), and a hostile pattern stops it for hours. Here each part maps the set of places
 * where it may begin to the set where it may end, so that the work is bounded by length of pattern × length of name².
 */

/** Longest pattern that is read; those of real adapters have below 300 characters. */
const LONGEST = 2000;
const DEEPEST = 50;
/** Most repetitions of a counted part. */
const MOST_TIMES = 100;
/** Most work for one name. */
const MOST_STEPS = 200_000;

type Ends = (from: ReadonlySet<number>) => Set<number>;
type Part = (text: string, spend: (steps: number) => void) => Ends;
type IsIn = (character: string) => boolean;

const WORD = /^\w$/;
const CLASSES: Record<string, IsIn> = {
  d: (c) => /^\d$/.test(c),
  D: (c) => !/^\d$/.test(c),
  w: (c) => WORD.test(c),
  W: (c) => !WORD.test(c),
  s: (c) => /^\s$/.test(c),
  S: (c) => !/^\s$/.test(c),
};

const one =
  (isIn: IsIn): Part =>
  (text, spend) =>
  (from) => {
    spend(from.size);
    const ends = new Set<number>();
    for (const at of from) if (at < text.length && isIn(text[at]!)) ends.add(at + 1);
    return ends;
  };

/** Matches no character, at the places where `holds`. */
const where =
  (holds: (text: string, at: number) => boolean): Part =>
  (text, spend) =>
  (from) => {
    spend(from.size);
    return new Set([...from].filter((at) => holds(text, at)));
  };

const sequence =
  (parts: readonly Part[]): Part =>
  (text, spend) => {
    const all = parts.map((part) => part(text, spend));
    return (from) => all.reduce<Set<number>>((places, part) => part(places), new Set(from));
  };

const either =
  (parts: readonly Part[]): Part =>
  (text, spend) => {
    const all = parts.map((part) => part(text, spend));
    return (from) => new Set(all.flatMap((part) => [...part(from)]));
  };

const repeated =
  (part: Part, least: number, most: number): Part =>
  (text, spend) => {
    const ends = part(text, spend);
    return (from) => {
      let places = new Set(from);
      for (let i = 0; i < least; i++) {
        spend(1);
        places = ends(places);
      }
      const found = new Set(places);
      for (let i = least; i < most && places.size > 0; i++) {
        spend(1);
        places = new Set([...ends(places)].filter((at) => !found.has(at)));
        for (const at of places) found.add(at);
      }
      return found;
    };
  };

const ahead =
  (part: Part, wanted: boolean): Part =>
  (text, spend) => {
    const ends = part(text, spend);
    return (from) => new Set([...from].filter((at) => ends(new Set([at])).size > 0 === wanted));
  };

const behind =
  (part: Part, wanted: boolean): Part =>
  (text, spend) => {
    const ends = part(text, spend);
    const endsAt = (at: number): boolean =>
      Array.from({ length: at + 1 }, (_, start) => start).some((start) =>
        ends(new Set([start])).has(at),
      );
    return (from) => new Set([...from].filter((at) => endsAt(at) === wanted));
  };

const isWordAt = (text: string, at: number): boolean => WORD.test(text[at] ?? '');
const atBoundary = (text: string, at: number): boolean =>
  isWordAt(text, at - 1) !== isWordAt(text, at);
const atStart = where((_, at) => at === 0);
const atEnd = where((text, at) => at === text.length);

class Parser {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  whole(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new Error('a ")" without its "("');
    return part;
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#pattern);
    if (match) this.#at += match[0].length;
    return match;
  }

  #next(): string {
    const next = this.#pattern[this.#at];
    if (next === undefined) throw new Error('it ends too early');
    this.#at += 1;
    return next;
  }

  #alternatives(): Part {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new Error('it is nested too deep');
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    this.#depth -= 1;
    return parts.length === 1 ? parts[0]! : either(parts);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at]!))
      parts.push(this.#quantified(this.#atom()));
    return sequence(parts);
  }

  #quantified(atom: Part): Part {
    const match = this.#match(/([*+?])|\{(\d*)(,?)(\d*)\}/y);
    // `{}` and `{a}` are plain characters, which `#atom` reads.
    if (!match || match[0] === '{}') {
      if (match) this.#at -= match[0].length;
      return atom;
    }
    const [, sign, from = '', comma, to = ''] = match;
    const least = sign === '+' ? 1 : Number(from);
    let most = sign === '?' ? 1 : Infinity;
    if (sign === undefined && (comma === '' || to !== '')) most = Number(comma === '' ? from : to);
    if (least > MOST_TIMES || (most > MOST_TIMES && most !== Infinity))
      throw new Error(`a part is repeated more than ${MOST_TIMES} times`);
    if (most < least) throw new Error('a repetition has its bounds reversed');
    // Whether the shortest or the longest is tried first decides nothing about whether all of a name matches.
    this.#take('?');
    if (/[*+?]/.test(this.#pattern[this.#at] ?? ''))
      throw new Error('possessive or doubled repetition');
    return repeated(atom, least, most);
  }

  #atom(): Part {
    const next = this.#next();
    if (next === '(') return this.#group();
    if (next === '[') return one(this.#set());
    if (next === '.') return one((c) => c !== '\n');
    if (next === '^') return atStart;
    if (next === '$') return atEnd;
    if (/[*+?]/.test(next)) throw new Error(`nothing stands before "${next}"`);
    return next === '\\' ? this.#escaped() : one((c) => c === next);
  }

  #escaped(): Part {
    const next = this.#next();
    if (next === 'A') return atStart;
    if (next === 'Z') return atEnd;
    if (next === 'b') return where(atBoundary);
    if (next === 'B') return where((text, at) => !atBoundary(text, at));
    return one(this.#characterOf(next));
  }

  #characterOf(escaped: string): IsIn {
    const known = CLASSES[escaped];
    if (known) return known;
    if (/[A-Za-z0-9]/.test(escaped)) throw new Error(`\\${escaped}`);
    return (c) => c === escaped;
  }

  #group(): Part {
    const make = this.#groupKind();
    const part = this.#alternatives();
    if (!this.#take(')')) throw new Error('a "(" without its ")"');
    return make(part);
  }

  #groupKind(): (part: Part) => Part {
    if (!this.#take('?')) return (part) => part;
    if (this.#take(':') || this.#match(/P<\w+>/y)) return (part) => part;
    if (this.#take('=')) return (part) => ahead(part, true);
    if (this.#take('!')) return (part) => ahead(part, false);
    if (this.#take('<=')) return (part) => behind(part, true);
    if (this.#take('<!')) return (part) => behind(part, false);
    throw new Error(`(?${this.#pattern.slice(this.#at, this.#at + 2)}`);
  }

  #set(): IsIn {
    const negated = this.#take('^');
    const members: IsIn[] = [];
    // A "]" that comes first is a member.
    for (let first = true; first || !this.#take(']'); first = false) members.push(this.#member());
    return (c) => members.some((isIn) => isIn(c)) !== negated;
  }

  #member(): IsIn {
    const from = this.#next();
    if (from === '\\') return this.#characterOf(this.#next());
    const range = this.#match(/-([^\]\\])/y);
    if (!range) return (c) => c === from;
    const to = range[1]!;
    if (to < from) throw new Error(`the range ${from}-${to}`);
    return (c) => c >= from && c <= to;
  }
}

/**
 * Whether a Python pattern matches all of a text (`re.fullmatch`), as a function of the text.
 * @throws Error where the pattern is none, or uses what is not read: back-references, flags, atomic groups, possessive
 *   repetition; or, on a text, where it takes too many steps
 */
export function fullMatcher(pattern: string): (text: string) => boolean {
  if (pattern.length > LONGEST) throw new Error(`it has over ${LONGEST} characters`);
  const part = new Parser(pattern).whole();
  return (text) => {
    let steps = 0;
    const spend = (more: number): void => {
      steps += more + 1;
      if (steps > MOST_STEPS) throw new Error('it takes too many steps');
    };
    return part(text, spend)(new Set([0])).has(text.length);
  };
}
