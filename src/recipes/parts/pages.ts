import type { Hit } from '../../records/hits.ts';

/** Pages: what names them, and looking a text up on them. */

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

/** The page of this very title, the best of several; null where none was found. */
export const pageOf = (title: string, hits: readonly Hit[]): Hit | null =>
  hits.find(({ passage }) => plain(title) !== '' && plain(passage.title) === plain(title)) ?? null;

/** The n-th sentence, from 0, of a page that holds a text; null after the last one. */
export function lookUp(page: Page | null, text: string, n: number): string | null {
  const wanted = plain(text);
  if (!page || wanted === '') return null;
  const found = page.sentences.filter((sentence) => plain(sentence).includes(wanted));
  const sentence = found[n];
  return sentence === undefined ? null : `(result ${n + 1} / ${found.length}) ${sentence}`;
}
