import { z } from 'zod';

/**
 * ReAct's three actions over pages (arXiv 2210.03629, section 3.1, and its wikienv.py): a search opens the page of
 * that name and shows its first sentences, or names similar pages; a look-up shows the next sentence with a text.
 */
export const pagesSchema = z.strictObject({
  /** Sentences of a page that a search shows. */
  sentences: z.int().min(1).max(20),
  /** Titles that are named where there is no such page. */
  similar: z.int().min(1).max(10),
});

export interface Page {
  title: string;
  sentences: readonly string[];
}

/** Titles and what names them are compared so: in lower case, without signs, single spaces. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The page that a text names: the longest title that is the text, or is in it as whole words. */
function namedPage(text: string, pages: readonly Page[]): Page | null {
  const asked = ` ${plain(text)} `;
  const named = pages.filter(({ title }) => asked.includes(` ${plain(title)} `));
  return named.toSorted((a, b) => b.title.length - a.title.length)[0] ?? null;
}

/** What a search shows of the pages that were found, best first. */
export function observation(
  text: string,
  pages: readonly Page[],
  { sentences, similar }: z.infer<typeof pagesSchema>,
): { text: string; page: Page | null } {
  const page = namedPage(text, pages);
  if (page) return { text: page.sentences.slice(0, sentences).join(' '), page };
  const titles = [...new Set(pages.map(({ title }) => title))].slice(0, similar);
  return {
    text: `could not find ${text} . similar : ${titles.join(' ; ') || 'none'} .`,
    page: null,
  };
}

/** The n-th sentence, from 0, of a page that holds a text; null after the last one. */
export function lookUp(page: Page | null, text: string, n: number): string | null {
  const wanted = plain(text);
  if (!page || wanted === '') return null;
  const found = page.sentences.filter((sentence) => plain(sentence).includes(wanted));
  const sentence = found[n];
  return sentence === undefined ? null : `(result ${n + 1} / ${found.length}) ${sentence}`;
}
