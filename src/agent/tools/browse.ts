import type { z } from 'zod';
import type { Hit } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { browseSchema } from '../../recipes/methods/browse.ts';
import { plain } from '../../recipes/methods/pages.ts';
import { contentWords, namesIn } from '../answers/evidence.ts';

/** Reading pages: DeepResearcher's second tool, and the links that WebThinker's explorer opens. */

const withSentences = (hit: Hit, sentences: readonly string[]): Hit => ({
  ...hit,
  passage: { ...hit.passage, sentences: [...sentences], text: sentences.join(' ') },
});

/** The page of this very title, the best of several; null where none was found. */
export const pageOf = (title: string, hits: readonly Hit[]): Hit | null =>
  hits.find(({ passage }) => plain(title) !== '' && plain(passage.title) === plain(title)) ?? null;

/**
 * What a reader with the question `asked` takes from a page: its sentences that share most words with it, the title's own left out,
 * `most` at most, in the page's order; the first ones where none has any. Theirs is a language model.
 */
export function extractFor(
  asked: string,
  { title, sentences }: Pick<Passage, 'title' | 'sentences'>,
  most: number,
): string[] {
  const own = new Set(contentWords(title));
  const wanted = new Set(contentWords(asked).filter((word) => !own.has(word)));
  const scored = sentences.map((text, place) => ({
    text,
    place,
    shared: new Set(contentWords(text).filter((word) => wanted.has(word))).size,
  }));
  const sharing = scored.filter(({ shared }) => shared > 0);
  return (sharing.length > 0 ? sharing : scored)
    .toSorted((a, b) => b.shared - a.shared || a.place - b.place)
    .slice(0, most)
    .toSorted((a, b) => a.place - b.place)
    .map(({ text }) => text);
}

/**
 * What the policy reads of a search: of the page that its query names, what bears on `asked`; else the beginnings of all pages.
 * @param asked the question, and what was searched for before
 */
export function browsed(
  query: string,
  hits: readonly Hit[],
  asked: string,
  { snippet, extract }: z.infer<typeof browseSchema>,
): Hit[] {
  const page = pageOf(query, hits);
  if (page) return [withSentences(page, extractFor(asked, page.passage, extract))];
  return hits.map((hit) => withSentences(hit, hit.passage.sentences.slice(0, snippet)));
}

/**
 * Links of pages: names in their texts that are no title among them, those of sentences with more words of the query first,
 * each once, in lower case. Whether there is such a page only a search tells.
 */
export function linksIn(query: string, hits: readonly Hit[]): string[] {
  const known = new Set(hits.map(({ passage }) => plain(passage.title)));
  const wanted = new Set(contentWords(query));
  const sentences = hits.flatMap(({ passage }) => passage.sentences);
  const ordered = sentences
    .map((text, place) => ({
      text,
      place,
      shared: contentWords(text).filter((word) => wanted.has(word)).length,
    }))
    .toSorted((a, b) => b.shared - a.shared || a.place - b.place);
  const names = ordered.flatMap(({ text }) => namesIn(text));
  return [...new Set(names)].filter((name) => !known.has(plain(name)));
}
