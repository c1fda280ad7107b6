/**
 * Arithmetic for the `compute` block: numbers, + − * /, parentheses, one comparison, and the functions min, max, abs,
 * round, sum, count, diff and years (both the distance of two values). A grammar of its own, so that nothing in the
 * policy's text can ever run.
 *
 * whole      := expression (sign expression)?       which says yes or no
 * sign       := '<' | '>' | '='
 * expression := term (('+' | '-') term)*
 * term       := factor (('*' | '/') factor)*
 * factor     := '-' factor | atom
 * atom       := number | '(' expression ')' | name '(' list ')' | 'count' '(' list sign expression ')'
 * list       := expression (',' expression)*
 *
 * The count of a list with a sign is of the items for which it holds: `count(1911, 1924, 1919 < 1920)` is 2.
 */

/** Longest expression, in characters, and deepest nesting that is looked at. */
const LONGEST = 200;
const DEEPEST = 24;
/** Most items of a list. */
const MOST_ITEMS = 16;

/** `value` of a comparison: 1 where it holds, else 0. */
type Computed = { ok: true; value: number; text: string } | { ok: false; message: string };

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  min: (...values) => Math.min(...values),
  max: (...values) => Math.max(...values),
  abs: (value = NaN) => Math.abs(value),
  round: (value = NaN) => Math.round(value),
  sum: (...values) => values.reduce((all, value) => all + value, 0),
  count: (...values) => values.length,
  diff: (a = NaN, b = NaN) => Math.abs(a - b),
  years: (a = NaN, b = NaN) => Math.abs(a - b),
};
/** How many values each takes; undefined: one or more. */
const ARITY: Readonly<Record<string, number | undefined>> = { abs: 1, round: 1, diff: 2, years: 2 };

const HOLDS: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ['<', (a: number, b: number) => a < b],
  ['>', (a: number, b: number) => a > b],
  ['=', (a: number, b: number) => a === b],
]);

const TOKEN = /\s*(\d+(?:\.\d+)?|[a-z]+|[-+*/(),<>=]|×|÷|−)/uy;
const SAME: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['÷', '/'],
  ['−', '-'],
]);

class Fault extends Error {}

/** Cuts the text into tokens. @throws Fault where something else is there */
function tokens(text: string): string[] {
  const out: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) {
      if (text.slice(at).trim() === '') break;
      throw new Fault(`"${text.slice(at).trim().slice(0, 12)}" is no number, sign or function`);
    }
    const token = match[1] ?? '';
    out.push(SAME.get(token) ?? token);
  }
  return out;
}

class Reader {
  #at = 0;
  constructor(private readonly all: readonly string[]) {}

  /** A number, or whether a comparison holds. */
  whole(): number | boolean {
    const value = this.#sum(0);
    const holds = this.#sign();
    const said = holds ? holds(value, this.#sum(0)) : value;
    const rest = this.all[this.#at];
    if (rest !== undefined) throw new Fault(`"${rest}" stands behind the end`);
    return said;
  }

  /** What a sign of comparison says of two numbers; undefined where none is here. */
  #sign(): ((a: number, b: number) => boolean) | undefined {
    return HOLDS.get(this.#next(...HOLDS.keys()) ?? '');
  }

  #take(): string | undefined {
    return this.all[this.#at++];
  }

  #next(...signs: string[]): string | undefined {
    const token = this.all[this.#at];
    if (token === undefined || !signs.includes(token)) return undefined;
    this.#at++;
    return token;
  }

  #sum(depth: number): number {
    if (depth > DEEPEST) throw new Fault('it is nested too deep');
    let value = this.#product(depth);
    for (let sign = this.#next('+', '-'); sign; sign = this.#next('+', '-')) {
      const other = this.#product(depth);
      value = sign === '+' ? value + other : value - other;
    }
    return value;
  }

  #product(depth: number): number {
    let value = this.#factor(depth);
    for (let sign = this.#next('*', '/'); sign; sign = this.#next('*', '/')) {
      const other = this.#factor(depth);
      if (sign === '/' && other === 0) throw new Fault('it divides by 0');
      value = sign === '*' ? value * other : value / other;
    }
    return value;
  }

  #factor(depth: number): number {
    if (depth > DEEPEST) throw new Fault('it is nested too deep');
    return this.#next('-') ? -this.#factor(depth + 1) : this.#atom(depth);
  }

  #atom(depth: number): number {
    const token = this.#take();
    if (token === undefined) throw new Fault('it ends too early');
    if (/^\d/u.test(token)) return Number(token);
    if (token === '(') {
      const value = this.#sum(depth + 1);
      this.#close();
      return value;
    }
    return this.#call(token, depth);
  }

  #call(name: string, depth: number): number {
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!known) throw new Fault(`"${name}" is no number or function`);
    if (!this.#next('(')) throw new Fault(`"(" is missing behind ${name}`);
    let values = [this.#sum(depth + 1)];
    while (this.#next(',')) values.push(this.#sum(depth + 1));
    if (values.length > MOST_ITEMS) throw new Fault(`it lists more than ${MOST_ITEMS} values`);
    const holds = name === 'count' ? this.#sign() : undefined;
    if (holds) {
      const bound = this.#sum(depth + 1);
      values = values.filter((value) => holds(value, bound));
    }
    this.#close();
    const wanted = ARITY[name];
    if (wanted !== undefined && values.length !== wanted)
      throw new Fault(`${name} takes ${wanted} value${wanted === 1 ? '' : 's'}`);
    return known(...values);
  }

  #close(): void {
    if (!this.#next(')')) throw new Fault('a ")" is missing');
  }
}

/** A result as it is written: whole, or to four places. */
const written = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toFixed(4)));

/** The value of an expression, or what is wrong with it; never throws. */
export function compute(text: string): Computed {
  if (text.length > LONGEST)
    return { ok: false, message: `it is longer than ${LONGEST} characters` };
  try {
    const value = new Reader(tokens(text.toLowerCase())).whole();
    if (typeof value === 'boolean')
      return { ok: true, value: Number(value), text: value ? 'yes' : 'no' };
    if (!Number.isFinite(value)) return { ok: false, message: 'its value is no number' };
    return { ok: true, value, text: written(value) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, message: error.message };
    throw error;
  }
}

const NO_RESULT = 'no result';

/** What the environment says to an expression: its value, or what is wrong with it. */
export function computeReply(text: string): string {
  const done = compute(text);
  return done.ok ? done.text : `${NO_RESULT} : ${done.message} .`;
}

/** Whether such a reply says that there is no value. */
export const isFailedReply = (reply: string): boolean => reply.trimStart().startsWith(NO_RESULT);
