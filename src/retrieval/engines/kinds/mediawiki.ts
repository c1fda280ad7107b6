import { z } from 'zod';
import type { Engine, EngineCall, EngineKind } from './engine.ts';
import { EngineError } from '../http/errors.ts';
import { retryAfterMs } from '../../../base/retry-after.ts';
import { checked } from '../http/http.ts';
import { passageOf, type Found } from './passages.ts';
import { htmlToText } from './plain-text.ts';

/*
 * MediaWiki Action API (https://www.mediawiki.org/wiki/API:Search, Extension:TextExtracts,
 * API:Continue, API:Cross-site_requests, Manual:Maxlag_parameter): Wikipedia in any language, or any
 * wiki that is readable without logging in. One call does it: `generator=search` with `prop=extracts`
 * gives the plain text of each page's introduction. Where a wiki lacks TextExtracts, or a page has no
 * introduction, the snippets of `list=search` are in.
 *
 * The wiki's own search wants every word in the page unless it runs CirrusSearch. A question that
 * finds nothing is asked again with its names alone, then with the longest of them.
 */

const page = z.object({
  pageid: z.int().optional(),
  title: z.string(),
  index: z.number().optional(),
  extract: z.string().optional(),
  fullurl: z.string().optional(),
});
const answerSchema = z.object({
  error: z.object({ code: z.string(), info: z.string().optional() }).optional(),
  batchcomplete: z.unknown().optional(),
  continue: z.record(z.string(), z.union([z.string(), z.number().transform(String)])).optional(),
  query: z
    .object({
      pages: z.array(page).max(500).optional(),
      search: z
        .array(z.object({ pageid: z.int(), snippet: z.string().optional() }))
        .max(500)
        .optional(),
    })
    .optional(),
});
type Page = z.infer<typeof page>;
type Answer = z.infer<typeof answerSchema>;

/** Most calls that one list of pages may take (API:Continue). */
const MAX_CALLS = 5;
/** CirrusSearch refuses more. */
const MAX_QUERY = 280;

const MEANINGS = new Map<string, string>(
  Object.entries({
    readapidenied: 'this wiki can only be read after logging in, which Forage does not do',
    'cirrussearch-too-busy-error': 'the search of this wiki is busy',
    'search-title-disabled': 'search is switched off on this wiki',
  }),
);
const TRANSIENT = new Set(['maxlag', 'ratelimited', 'cirrussearch-too-busy-error', 'readonly']);

function readAnswer(value: unknown, headers: Headers): Answer {
  const answer = checked(answerSchema, value, 'the MediaWiki Action API');
  const { error } = answer;
  if (!error) {
    if (answer.query === undefined && answer.batchcomplete === undefined)
      throw new EngineError('wrong-shape', 'the answer has neither "query" nor "batchcomplete"');
    return answer;
  }
  const rest = retryAfterMs(headers.get('Retry-After'), Date.now());
  throw new EngineError(
    'engine',
    MEANINGS.get(error.code) ?? `${error.code}: ${error.info ?? ''}`,
    {
      transient: TRANSIENT.has(error.code),
      ...(rest === null ? {} : { retryAfterMs: rest }),
    },
  );
}

/** Snippets of a wiki without CirrusSearch are wikitext: links and bold type become their words. */
const wikitextToText = (text: string): string =>
  text
    .replace(/\{\{[^{}]*\}\}/gu, '')
    .replace(/\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/gu, '$1')
    .replace(/'{2,5}/gu, '');

/** Signs that mean something to a wiki's search become spaces: a policy writes words. */
const searchWords = (query: string): string =>
  query
    .replace(/[?!~*\\|{}[\]<>#:"“”=]+/gu, ' ')
    .replace(/(^|\s)-+/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY)
    .replace(/[\uD800-\uDBFF]$/u, '');

/** Capitals that begin a question and name nothing. */
const OPENERS = new Set(
  'a an and are at by did do does for from had has have how in is name of on the to under was were what when where which who whom whose why with'.split(
    ' ',
  ),
);
const NAME_RUN = /(?:\p{Lu}|\p{N})[\p{L}\p{N}'’.-]*(?:\s+(?:\p{Lu}|\p{N})[\p{L}\p{N}'’.-]*)*/gu;

/** What is asked in turn until something is found: the words, their names, the longest name. */
function wordings(words: string): string[] {
  const [first = '', ...rest] = words.split(' ');
  const names = (OPENERS.has(first.toLowerCase()) ? rest.join(' ') : words).match(NAME_RUN) ?? [];
  const longest = names.reduce((a, b) => (b.length > a.length ? b : a), '');
  return [...new Set([words, names.join(' '), longest])].filter((wording) => wording !== '');
}

class MediaWiki implements Engine {
  readonly id: string;
  readonly address: string;
  readonly #host: string;
  /** Wikimedia asks callers to say who they are; a wiki whose CORS rules forbid the header is not told. */
  #identify = true;

  constructor(api: string) {
    const url = new URL(api);
    url.hash = '';
    this.address = url.href;
    this.#host = url.host;
    this.id = `mediawiki:${this.address}`;
  }

  async search(call: EngineCall): Promise<Found[]> {
    const words = searchWords(call.query);
    for (const asked of wordings(words)) {
      const found = await this.#ask(asked, call);
      if (found.length > 0) return found;
    }
    return [];
  }

  async #ask(words: string, call: EngineCall): Promise<Found[]> {
    const limit = String(Math.min(50, call.k));
    const generator = { generator: 'search', gsrsearch: words, gsrlimit: limit, gsrnamespace: '0' };
    const pages = await this.#pages(
      {
        ...generator,
        prop: 'extracts|info',
        inprop: 'url',
        exintro: '1',
        explaintext: '1',
        exlimit: 'max',
        redirects: '1',
      },
      call,
    );
    const mute = pages.filter(({ extract = '' }) => extract.trim() === '');
    const snippets = mute.length === 0 ? new Map() : await this.#snippets(words, limit, call);
    return pages.flatMap((one): Found[] => {
      const text = one.extract?.trim() || (snippets.get(one.pageid) ?? '');
      const passage = passageOf({
        id: `${this.#host}/${one.pageid ?? one.title}`,
        title: one.title,
        text,
        url: one.fullurl,
      });
      return passage ? [{ passage, score: null }] : [];
    });
  }

  /** Pages in the order of the search, with what later calls of the same list add to them. */
  async #pages(params: Record<string, string>, call: EngineCall): Promise<Page[]> {
    const known = new Map<string, Page>();
    let more: Answer['continue'] = {};
    for (let calls = 0; more && calls < MAX_CALLS; calls++) {
      const answer: Answer = await this.#get({ ...params, ...more }, call);
      for (const next of answer.query?.pages ?? [])
        known.set(next.title, { ...known.get(next.title), ...next });
      // What a complete batch continues with is further pages, and enough were asked for.
      more = answer.batchcomplete === undefined ? answer.continue : undefined;
    }
    return [...known.values()].sort((a, b) => (a.index ?? Infinity) - (b.index ?? Infinity));
  }

  async #snippets(
    words: string,
    limit: string,
    call: EngineCall,
  ): Promise<ReadonlyMap<number | undefined, string>> {
    const answer = await this.#get(
      { list: 'search', srsearch: words, srlimit: limit, srnamespace: '0', srprop: 'snippet' },
      call,
    );
    return new Map(
      (answer.query?.search ?? []).map(({ pageid, snippet = '' }) => [
        pageid,
        wikitextToText(htmlToText(snippet)),
      ]),
    );
  }

  async #get(params: Record<string, string>, call: EngineCall): Promise<Answer> {
    const url = new URL(this.address);
    const fixed = { action: 'query', format: 'json', formatversion: '2', origin: '*', maxlag: '5' };
    for (const [name, value] of Object.entries({ ...fixed, ...params }))
      url.searchParams.set(name, value);
    const { http, meter, signal } = call;
    const get = (): Promise<Answer> => {
      const headers: Record<string, string> = this.#identify
        ? { 'Api-User-Agent': 'Forage/1 (research workbench)' }
        : {};
      return http.json({ url: url.href, headers }, readAnswer, meter, signal);
    };
    try {
      return await get();
    } catch (error) {
      const refused = error instanceof EngineError && error.fault === 'unreachable';
      if (!refused || !this.#identify) throw error;
      this.#identify = false;
      try {
        return await get();
      } catch (again) {
        this.#identify = true;
        throw again;
      }
    }
  }
}

const WIKIMEDIA =
  /\.(?:wikipedia|wiktionary|wikimedia|wikidata|wikisource|wikinews|wikivoyage)\.org$/;

/** Wikimedia serves articles below /wiki/ and the API below /w/; the installer's default is one folder. */
function apiPath({ hostname, pathname }: URL): string {
  if (pathname.endsWith('/api.php')) return pathname;
  if (WIKIMEDIA.test(hostname)) return '/w/api.php';
  const script = pathname.indexOf('/index.php');
  const folder = script < 0 ? pathname.replace(/\/wiki(?:\/.*)?$/u, '') : pathname.slice(0, script);
  return `${folder.replace(/\/+$/u, '')}/api.php`;
}

export const mediaWiki: EngineKind = {
  id: 'mediawiki',
  name: 'MediaWiki (Wikipedia)',
  about: 'Wikipedia in any language, or any wiki that can be read without logging in.',
  example: 'en.wikipedia.org',
  path: apiPath,
  addressAdvice: 'The address is that of api.php, such as https://en.wikipedia.org/w/api.php.',
  corsAdvice:
    'MediaWiki answers every page that sends origin=*; check that the address ends in /api.php and that no proxy before it drops the CORS headers.',
  open: (url) => new MediaWiki(url),
};
