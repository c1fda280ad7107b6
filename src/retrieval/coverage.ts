import type { Passage } from '../data/records.ts';

/** Runs of capitalised words; a word of the question such as "Which" may open one. */
const NAME = /\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*/gu;

/** Whether a run of words, or the run without its first word, is a title. */
function known(name: string, titles: ReadonlySet<string>): boolean {
  const words = name.split(/\s+/);
  for (let skip = 0; skip < words.length; skip++) {
    if (titles.has(words.slice(skip).join(' '))) return true;
  }
  return false;
}

/**
 * A feature of the router: the share of a query's names, in [0, 1], that are titles of the given
 * passages. A query without a name gives 0.
 */
export function titleCoverage(passages: readonly Passage[]): (query: string) => number {
  const titles = new Set(passages.map((passage) => passage.title));
  return (query) => {
    const names = query.match(NAME) ?? [];
    if (names.length === 0) return 0;
    return names.filter((name) => known(name, titles)).length / names.length;
  };
}
