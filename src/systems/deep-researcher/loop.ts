import { contentWords } from '../../agent/answers/evidence.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import { fittingText } from '../../agent/searching.ts';
import { pageOf } from '../../recipes/parts/pages.ts';
import type { Hit } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { Params } from './system.ts';

const withSentences = (hit: Hit, sentences: readonly string[]): Hit => ({
  ...hit,
  passage: { ...hit.passage, sentences: [...sentences], text: sentences.join(' ') },
});

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
  { snippet, extract }: NonNullable<Params['browse']>,
): Hit[] {
  const page = pageOf(query, hits);
  if (page) return [withSentences(page, extractFor(asked, page.passage, extract))];
  return hits.map((hit) => withSentences(hit, hit.passage.sentences.slice(0, snippet)));
}

export const hooks = ({ browse }: Params): LoopHooks => ({
  ...(browse && {
    resultText(state, query, hits) {
      const asked = [state.request.question.text, ...state.searches.map((past) => past.query)];
      return fittingText(state, browsed(query, hits, asked.join(' '), browse));
    },
  }),
});
