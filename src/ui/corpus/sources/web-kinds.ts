import type { WebSpec } from '../../../records/setup.ts';

/** The kinds of web source as a person chooses them. */

export type WebKind = WebSpec['kind'];

export interface WebKindInfo {
  kind: WebKind;
  label: string;
  /** What it is, in one sentence. */
  about: string;
  /** What its address looks like. */
  example: string;
}

const WEB_KINDS: readonly WebKindInfo[] = [
  {
    kind: 'built-in',
    label: 'Built-in web',
    about: 'The web of the built-in world, behind a static index that comes with this page.',
    example: '',
  },
  {
    kind: 'mediawiki',
    label: 'MediaWiki (Wikipedia)',
    about: 'Wikipedia in any language, or any wiki that can be read without logging in.',
    example: 'en.wikipedia.org',
  },
  {
    kind: 'searxng',
    label: 'SearXNG',
    about: 'A metasearch instance that lists json under search.formats in its settings.',
    example: 'localhost:8080',
  },
  {
    kind: 'search-r1',
    label: 'Search-R1 server',
    about: 'Search-R1’s retrieval_server.py, or its online variants.',
    example: 'localhost:8000/retrieve',
  },
  {
    kind: 'r1-searcher',
    label: 'R1-Searcher server',
    about: 'R1-Searcher’s wiki_corpus_load.py, or UR²’s server.',
    example: 'localhost:5004/queries',
  },
  {
    kind: 'research',
    label: 'ReSearch server',
    about: 'ReSearch’s retriever_serving.py over FlashRAG.',
    example: 'localhost:8000/batch_search',
  },
];

export const WEB_KIND_IDS = WEB_KINDS.map(({ kind }) => kind);

/** What each kind is called in a list. */
export const WEB_KIND_NAMES: Readonly<Partial<Record<WebKind, string>>> = Object.fromEntries(
  WEB_KINDS.map(({ kind, label }) => [kind, label]),
);

export const infoOf = (kind: WebKind): WebKindInfo =>
  WEB_KINDS.find((info) => info.kind === kind) ?? WEB_KINDS[0]!;
