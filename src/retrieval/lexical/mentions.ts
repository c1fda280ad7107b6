import type { Passage } from '../../records/records.ts';
import { foldText, termsOfFolded } from './text.ts';
import { createTurns } from '../../base/turns.ts';

/** Whether the passages of a source mention words, without ranking any. Words are terms (text.ts). */
export interface Mentions {
  /** One passage, title included, holds all of these words. */
  together(words: readonly string[], signal?: AbortSignal): Promise<boolean>;
  /**
   * A word of the passages is a likely misspelling of this one (one letter or one swap apart, if it has seven letters or
   * more), or one of the two is inflected from the other. False where the source cannot list its words.
   */
  almost(word: string, signal?: AbortSignal): Promise<boolean>;
}

/** Passages between two looks at the clock: a promise for each would take longer than the look for a word. */
const PASSAGES_A_TURN = 64;

/**
 * Folded texts, kept from the first time they are wanted, since folding takes nearly all the time of a scan; those
 * beyond this many characters are folded again each time.
 */
function foldedTexts(
  passages: readonly Pick<Passage, 'title' | 'text'>[],
  keptCharacters: number,
): (at: number) => string {
  const kept: string[] = [];
  let left = keptCharacters;
  return (at) => {
    const known = kept[at];
    if (known !== undefined) return known;
    const passage = passages[at];
    const folded = passage ? foldText(`${passage.title}\n${passage.text}`) : '';
    // Scans begin at the first passage, so that those kept are the first without a gap.
    if (at === kept.length && folded.length <= left) {
      kept.push(folded);
      left -= folded.length;
    }
    return folded;
  };
}

/**
 * Mentions in passages that are in memory; long scans give the event loop turns.
 * @param keptCharacters how much of their texts may be held a second time, ready for the next scan
 */
export function mentionsIn(
  passages: readonly Pick<Passage, 'title' | 'text'>[],
  keptCharacters = 32_000_000,
): Mentions {
  const foldedAt = foldedTexts(passages, keptCharacters);
  const some = async (
    test: (folded: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> => {
    const pause = createTurns(signal);
    for (let at = 0; at < passages.length; at++) {
      if (at % PASSAGES_A_TURN === 0) await pause();
      if (test(foldedAt(at))) return true;
    }
    return false;
  };
  return {
    together: (words, signal) =>
      some((folded) => {
        // A look for substrings is cheap, and spares most texts the costly cutting into terms.
        if (!words.every((word) => folded.includes(word))) return false;
        const held = new Set(termsOfFolded(folded));
        return words.every((word) => held.has(word));
      }, signal),
    almost: (word, signal) =>
      some((folded) => termsOfFolded(folded).some((other) => isAlmost(word, other)), signal),
  };
}

/** Shorter words are often one letter from a word that has nothing to do with them: "France" and "franc". */
const SHORTEST_SLIP = 7;
const SHORTEST_STEM = 5;
/** Endings of plurals, inhabitants and possessives. */
const INFLECTION = /^(?:e?s|i?ans?|ns?|ese|ish|i|ic|ers?)$/u;

/** Whether one word is a slip of the other, or is inflected from it. */
export function isAlmost(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === long) return true;
  const ending = long.startsWith(short) ? long.slice(short.length) : '';
  const inflected =
    INFLECTION.test(ending) ||
    (ending !== '' && ending.length <= 3 && long.length >= SHORTEST_SLIP);
  return (
    (inflected && short.length >= SHORTEST_STEM) ||
    (short.length >= SHORTEST_SLIP && oneApart(short, long))
  );
}

/** Whether inserting or replacing one letter, or swapping two neighbours, makes the longer of the shorter. */
function oneApart(short: string, long: string): boolean {
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  const swapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return (
    short.slice(at + 1) === long.slice(at + 1) ||
    (swapped && short.slice(at + 2) === long.slice(at + 2))
  );
}
