import { contentWords, namesIn } from '../../agent/answers/evidence.ts';
import { forceAnswer } from '../../agent/answering.ts';
import type { LoopHooks } from '../../agent/hooks.ts';
import { stop, type RunState } from '../../agent/state.ts';
import { pageOf, plain } from '../../recipes/parts/pages.ts';
import type { Hit } from '../../records/hits.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';
import { extract } from '../search-o1/loop.ts';
import type { Params } from './system.ts';

/** Longest query that the released code calls invalid, in characters. */
const INVALID = 5;

/** Passages that a search for a link's name brings. */
const LINK_DEPTH = 3;

async function spendSearches(state: RunState, detail: string): Promise<'end'> {
  await forceAnswer(state, { reason: 'max-searches', detail }, true);
  return 'end';
}

/** run_web_thinker.py: a repeated query ends the rollout without an answer, a very short one spends all searches. */
async function endAtBadQuery(state: RunState, query: string): Promise<'search' | 'end'> {
  if (state.searches.some((earlier) => earlier.query === query)) {
    stop(state, 'end-of-text', 'a query that was asked before ends the rollout');
    return 'end';
  }
  return query.length > INVALID
    ? 'search'
    : spendSearches(state, `a query of at most ${INVALID} characters spends all searches`);
}

/** A search is counted before the limit is checked, so that one fewer is made. */
async function countFirst(state: RunState): Promise<'search' | 'end'> {
  const { maxSearches } = state.settings.retrieval;
  const most = maxSearches - 1;
  if (maxSearches === 0 || state.searches.length + state.lookups < most) return 'search';
  return spendSearches(state, `all ${most} searches are made`);
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

/** The explorer's clicks: pages of the links in a result, each the first of its title that a search for that name brings. */
async function openLinks(
  { deps, request }: RunState,
  { hits, source }: Retrieval,
  query: string,
  clicks: number,
): Promise<Hit[]> {
  const opened: Hit[] = [];
  for (const name of linksIn(query, hits)) {
    if (opened.length >= clicks) break;
    const found = await deps.retriever.search(source, name, LINK_DEPTH, request.signal);
    const page = pageOf(name, found.hits);
    if (page) opened.push(page);
  }
  return opened;
}

/** What was extracted so far, in order. */
const extractsOf = ({ transcript }: RunState): string[] =>
  transcript.rollout.events.flatMap((event) =>
    event.kind === 'summarize' || (event.kind === 'aside' && event.of === 'extract')
      ? [event.text]
      : [],
  );

/**
 * What follows the prompt of an explorer that appends all its output again after every turn: of n outputs the first is
 * there n times.
 */
export const reappended = (outputs: readonly string[]): string[] =>
  outputs.flatMap((_, turn) => outputs.slice(0, turn + 1));

export const hooks = ({
  badQueries,
  counted,
  clicks,
  extraction,
  reappends,
}: Params): LoopHooks => ({
  async onQuery(state, query) {
    if (badQueries === 'end' && (await endAtBadQuery(state, query)) === 'end') return 'end';
    return counted === 'before' ? countFirst(state) : 'search';
  },
  ...(clicks !== undefined && {
    changeHits: async (state, found, query) => [
      ...found.hits,
      ...(await openLinks(state, found, query, clicks)),
    ],
  }),
  ...(extraction && {
    showResult: (state, query, hits) =>
      extract(state, query, hits, extraction, reappends ? reappended(extractsOf(state)) : []),
  }),
});
