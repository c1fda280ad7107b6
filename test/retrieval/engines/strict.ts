import { readFileSync } from 'node:fs';
import { json, type Asked, type Reply } from './server.ts';

/**
 * Servers that answer as the public ones do and reject whatever is outside their protocol, so that a
 * client that asks wrongly finds nothing.
 */

export const wikiFixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/mediawiki/${name}.json`, import.meta.url), 'utf8');

/** Parameters that api.php knows, as far as a search needs them. */
const WIKI_PARAMETERS = new Set(
  `action format formatversion origin maxlag generator gsrsearch gsrlimit gsrnamespace prop inprop exintro
   explaintext exlimit redirects list srsearch srlimit srnamespace srprop continue excontinue`.split(
    /\s+/u,
  ),
);

/** Recorded answers of a real MediaWiki 1.39 (test/fixtures/mediawiki) for "wolf"; nothing for the rest. */
export const wikiReply: Reply = ({ url, method }, response) => {
  const asked = url.searchParams;
  const unknown = [...asked.keys()].filter((name) => !WIKI_PARAMETERS.has(name));
  const whole =
    asked.get('action') === 'query' &&
    asked.get('format') === 'json' &&
    asked.get('formatversion') === '2' &&
    asked.get('origin') === '*';
  if (method !== 'GET' || url.pathname !== '/w/api.php' || unknown.length > 0 || !whole)
    return json(response, { error: { code: 'badrequest', info: unknown.join() } }, 400);
  const words = (asked.get('gsrsearch') ?? asked.get('srsearch') ?? '').toLowerCase();
  if (words !== 'wolf') return json(response, wikiFixture('nothing'));
  return json(response, wikiFixture(asked.has('generator') ? 'wolf' : 'wolf-snippets'));
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string');

/** The body of a JSON call with these keys and no other; null where it is none. */
function bodyOf({ method, headers, body }: Asked, keys: readonly string[]) {
  if (method !== 'POST' || !headers['content-type']?.startsWith('application/json')) return null;
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null) return null;
  const known = Object.keys(value).every((key) => keys.includes(key));
  return known ? (value as Record<string, unknown>) : null;
}

export const DOCUMENTS = [
  { id: '14', contents: '"Old Wolf"\nOld Wolf is a novel by Victor Kerlund. It came out in 1931.' },
  { id: '7', contents: '"The Grey Pack"\nThe Grey Pack is a 1958 film.' },
  { id: '3', contents: '"Borfield"\nBorfield is a city.' },
];
const SCORES = [0.91, 0.75, 0.5];

export const searchR1Reply: Reply = (asked, response) => {
  const body = bodyOf(asked, ['queries', 'topk', 'return_scores']);
  if (asked.url.pathname !== '/retrieve') return json(response, { detail: 'Not Found' }, 404);
  if (!body || !isTexts(body.queries) || typeof body.topk !== 'number')
    return json(response, { detail: [{ type: 'missing', loc: ['body', 'queries'] }] }, 422);
  const found = DOCUMENTS.slice(0, body.topk);
  const one = body.return_scores
    ? found.map((document, i) => ({ document, score: SCORES[i] }))
    : found;
  json(response, { result: body.queries.map(() => one) });
};

export const LINES = [
  '14\tTitle: Old Wolf Text:  Old Wolf is a novel by Victor Kerlund.  It came out in 1931.',
  '7\t"Title: The Grey Pack Text:  ""The Grey Pack"" is a 1958 film."',
  '3\tTitle: Borfield Text:  Borfield is a city.',
];

export const r1SearcherReply: Reply = (asked, response) => {
  const body = bodyOf(asked, ['queries', 'k']);
  if (asked.url.pathname !== '/queries')
    return void response.writeHead(404).end('<h1>Not Found</h1>');
  if (!body || !isTexts(body.queries)) return void response.writeHead(415).end('<h1>no</h1>');
  const k = typeof body.k === 'number' ? body.k : 3;
  json(response, { queries: body.queries, answers: body.queries.map(() => LINES.slice(0, k)) });
};

export const researchReply: Reply = (asked, response) => {
  const body = bodyOf(asked, ['query', 'top_n', 'return_score']);
  if (asked.url.pathname !== '/batch_search') return json(response, { detail: 'Not Found' }, 404);
  if (!body || !isTexts(body.query) || typeof body.top_n !== 'number')
    return json(response, { detail: [{ type: 'list_type', loc: ['body', 'query'] }] }, 422);
  const lists = body.query.map(() => DOCUMENTS.slice(0, body.top_n as number));
  const scores = body.query.map(() => SCORES.slice(0, body.top_n as number));
  json(response, body.return_score ? [lists, scores] : lists);
};

export const searxngReply: Reply = ({ url, method }, response) => {
  const asked = url.searchParams;
  if (url.pathname !== '/search' || method !== 'GET') return void response.writeHead(404).end('no');
  if (asked.get('format') !== 'json' || !asked.get('q'))
    return void response.writeHead(400).end('no');
  json(response, {
    query: asked.get('q'),
    number_of_results: 0,
    results: [
      {
        url: 'https://example.org/old-wolf',
        title: 'Old <b>Wolf</b> &amp; others',
        content: 'A novel by <span class="highlight">Victor Kerlund</span> &#8211; from 1931.',
        engine: 'duckduckgo',
        score: 4,
      },
      { url: 'javascript:alert(1)', title: 'Bad', content: 'An address that is none.', score: 1 },
      { url: 'https://example.org/empty', title: 'No words', content: null },
    ],
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [['google', 'CAPTCHA']],
  });
};
