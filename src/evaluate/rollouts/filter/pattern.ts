import { FilterError } from './error.ts';
import { compileNfa, PatternFault, type Automaton } from './nfa.ts';
import { Matcher } from './dfa.ts';

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
