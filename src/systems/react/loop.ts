import type { LoopHooks } from '../../agent/hooks.ts';
import { plain, type Page } from '../../recipes/parts/pages.ts';
import { inBlock } from '../../records/protocol.ts';
import type { Params } from './system.ts';

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
  { sentences, similar }: Params,
): { text: string; page: Page | null } {
  const page = namedPage(text, pages);
  if (page) return { text: page.sentences.slice(0, sentences).join(' '), page };
  const titles = [...new Set(pages.map(({ title }) => title))].slice(0, similar);
  return {
    text: `could not find ${text} . similar : ${titles.join(' ; ') || 'none'} .`,
    page: null,
  };
}

export const hooks = (params: Params): LoopHooks => ({
  resultText(state, query, hits) {
    const pages = hits.map(({ passage }) => passage);
    const { text, page } = observation(query, pages, params);
    state.page = { page, text: '', seen: 0 };
    return inBlock(page ? `${page.title} : ${text}` : text);
  },
});
