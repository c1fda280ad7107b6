import { plainTitle, SeenText } from './mentions.ts';

/** The two things that a question compares, with the pages on which the compared facts are. */

/** What was found on a page. */
export interface FoundPage {
  title: string;
  text: string;
}

export interface Compared {
  text: string;
  answer: string;
  supporting: readonly string[];
}

interface Side {
  /** As the question names it. */
  name: string;
  /** Texts of the pages that tell the fact: its own, or those of the thing that its own page leads to. */
  pages: readonly string[];
  /** Says a fact of it: `Old Wolf: 1931`, or `Old Wolf: Victor Kerlund, 1901`. */
  line: (fact: string) => string;
}

export interface Pair {
  sides: readonly [Side, Side];
  /** Whether a fact is in the passages as they were shown. */
  shows: (fact: string) => boolean;
}

/** @returns null where the question does not compare two things that it names */
export function comparedPair(
  { text, supporting }: Compared,
  found: readonly FoundPage[],
  seen: SeenText,
): Pair | null {
  const asked = new SeenText(text);
  const isAsked = (title: string): boolean => asked.names(plainTitle(title));
  const through = supporting.filter((title) => !isAsked(title));
  const textsOf = (title: string): string[] =>
    found.flatMap((page) => (page.title === title ? [page.text] : []));
  const sides = supporting.filter(isAsked).map((title): Side | null => {
    const own = textsOf(title);
    const names = new SeenText(own.join(' '));
    const [bridge, another] = through.filter((other) => names.names(plainTitle(other)));
    const name = plainTitle(title);
    if (bridge === undefined)
      return through.length > 0 ? null : { name, pages: own, line: (fact) => `${name}: ${fact}` };
    if (another !== undefined) return null;
    const said = `${name}: ${plainTitle(bridge)}`;
    return { name, pages: textsOf(bridge), line: (fact) => `${said}, ${fact}` };
  });
  const [a, b, more] = sides;
  return a && b && more === undefined ? { sides: [a, b], shows: (fact) => seen.names(fact) } : null;
}
