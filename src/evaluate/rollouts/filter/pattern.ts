import { FilterError } from './error.ts';
import { compileNfa, PatternFault, type Automaton, type Assertion } from './nfa.ts';
import { itemAt, present } from '../../../base/items.ts';

/** Runs an automaton over texts in one pass, making the deterministic states as they are met. */

/** What is beside a place in the text; assertions look at nothing else. */
type Side = 'edge' | 'line' | 'word' | 'other';

interface State {
  /** Nodes waiting for the next character, before assertions are followed. */
  kernel: readonly number[];
  before: Side;
  /** Next state by code point; `null` where a match is complete in front of the character. */
  next: Map<number, State | null>;
  ascii: (State | null | undefined)[];
  /** Whether a match is complete at the end of the text. */
  atEnd: boolean | undefined;
}

/** More are never kept: a pattern may have exponentially many. */
const MAX_STATES = 2000;

// Of single characters.
const WORD = /\w/;
const LINE = /[\n\r\u2028\u2029]/;

const sideOf = (char: string): Side =>
  WORD.test(char) ? 'word' : LINE.test(char) ? 'line' : 'other';

function holds(what: Assertion, before: Side, after: Side, multiline: boolean): boolean {
  if (what === 'start') return before === 'edge' || (multiline && before === 'line');
  if (what === 'end') return after === 'edge' || (multiline && after === 'line');
  const boundary = (before === 'word') !== (after === 'word');
  return (what === 'boundary') === boundary;
}

class Matcher {
  readonly #automaton: Automaton;
  #states = new Map<string, State>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** Whether the pattern matches somewhere in the text. */
  test(text: string): boolean {
    let state = this.#state([], 'edge');
    for (let i = 0; i < text.length; i++) {
      const code = present(text.codePointAt(i), 'the character');
      const next = this.#step(state, code);
      if (next === null) return true;
      state = next;
      if (code > 0xffff) i++;
    }
    return (state.atEnd ??= this.#closure(state, 'edge').accepted);
  }

  #state(kernel: readonly number[], before: Side): State {
    const key = `${before}${kernel.join()}`;
    const found = this.#states.get(key);
    if (found) return found;
    if (this.#states.size >= MAX_STATES) this.#states = new Map();
    const state: State = { kernel, before, next: new Map(), ascii: [], atEnd: undefined };
    this.#states.set(key, state);
    return state;
  }

  #step(state: State, code: number): State | null {
    const known = code < 128 ? state.ascii[code] : state.next.get(code);
    if (known !== undefined) return known;
    const next = this.#advance(state, code);
    if (code < 128) state.ascii[code] = next;
    else if (state.next.size < MAX_STATES) state.next.set(code, next);
    return next;
  }

  #advance(state: State, code: number): State | null {
    const char = String.fromCodePoint(code);
    const side = sideOf(char);
    const { atoms, accepted } = this.#closure(state, side);
    if (accepted) return null;
    const kernel = new Set<number>();
    for (const node of atoms) {
      const atom = itemAt(this.#automaton.nodes, node, 'automaton');
      if (atom.kind === 'atom' && atom.test(char, code)) kernel.add(atom.next);
    }
    return this.#state(
      [...kernel].sort((a, b) => a - b),
      side,
    );
  }

  /** Follows splits and assertions; a match may begin anywhere, so that the start is always there. */
  #closure(state: State, after: Side): { atoms: number[]; accepted: boolean } {
    const { nodes, start, multiline } = this.#automaton;
    const seen = new Set<number>();
    const atoms: number[] = [];
    const waiting = [...state.kernel, start];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const node = itemAt(nodes, at, 'automaton');
      if (node.kind === 'accept') return { atoms, accepted: true };
      if (node.kind === 'atom') atoms.push(at);
      else if (node.kind === 'split') waiting.push(...node.next);
      else if (holds(node.what, state.before, after, multiline)) waiting.push(node.next);
    }
    return { atoms, accepted: false };
  }
}

/**
 * Regular expressions over imported text. They are JavaScript's, in Unicode mode, without what cannot be
 * decided in one pass over the text (look-around, back references): every pattern that is accepted takes
 * time in proportion to the text, so that none can hang, whatever the text is.
 */

const MAX_PATTERN = 500;

const FLAGS = /^[ims]*$/;

/** The automaton of a pattern. @throws FilterError at `position` in the filter */
function automaton(source: string, flags: string, position: number, length: number): Automaton {
  const fail = (expected: string, found: string): never => {
    throw new FilterError(position, length, expected, found);
  };
  if (source.length > MAX_PATTERN)
    fail(`a pattern of at most ${MAX_PATTERN} characters`, `${source.length}`);
  if (!FLAGS.test(flags) || new Set(flags).size !== flags.length)
    fail('the flags i, m, s, each at most once', `“${flags}”`);
  try {
    // The platform knows best what a regular expression is; its message names the fault.
    void new RegExp(source, `${flags}u`);
    return compileNfa(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof PatternFault)
      return fail('a regular expression', error.message);
    throw error;
  }
}

/** @throws FilterError where the pattern cannot be used */
export const checkPattern = (
  source: string,
  flags: string,
  position = 0,
  length = source.length,
): void => void automaton(source, flags, position, length);

/** Whether the pattern matches somewhere in a text. @throws FilterError as `checkPattern` */
export function compilePattern(source: string, flags: string): (text: string) => boolean {
  const matcher = new Matcher(automaton(source, flags, 0, source.length));
  return (text) => matcher.test(text);
}
