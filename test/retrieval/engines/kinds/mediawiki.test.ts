import { describe, expect, test } from 'vitest';
import { AnswerCache } from '../../../../src/retrieval/engines/answer-cache.ts';
import { EngineHttp } from '../../../../src/retrieval/engines/http/http.ts';
import type { Found } from '../../../../src/retrieval/engines/kinds/passages.ts';
import { mediaWiki } from '../../../../src/retrieval/engines/kinds/mediawiki.ts';

type Reply = (params: Record<string, string>, init: RequestInit) => unknown;

/** A wiki that answers as it is told; a Response is given as it is, an Error fails the call. */
function wiki(reply: Reply, address = 'https://wiki.test/w/api.php?x=1#y') {
  const calls: Record<string, string>[] = [];
  const urls: string[] = [];
  const headers: unknown[] = [];
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    urls.push(url.origin + url.pathname + url.hash);
    const params = Object.fromEntries(url.searchParams);
    calls.push(params);
    headers.push(init.headers);
    const answer = reply(params, init);
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const slept: number[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
    random: () => 0,
  };
  const http = new EngineHttp({ fetch, ...clock }, { retries: 1, intervalMs: 0 });
  const engine = mediaWiki.open(address);
  const search = (query: string, k = 3): Promise<Found[]> =>
    engine.search({ query, k, http, meter: { requests: 0, bytes: 0 } });
  return { search, calls, urls, headers, slept, engine };
}

const pages = (...some: object[]) => ({ batchcomplete: true, query: { pages: some } });
const old = {
  pageid: 5,
  title: 'Old Wolf',
  index: 1,
  extract: ' A novel. ',
  fullurl: 'https://wiki.test/Old',
};
const nothing = { batchcomplete: true };

describe('what a wiki is asked', () => {
  test('introductions as plain text, of articles, with addresses, by anyone', async () => {
    const { search, calls, urls, headers, engine } = wiki(() => pages(old));
    expect(await search('wolf', 7)).toEqual([
      {
        passage: {
          id: 'wiki.test/5',
          title: 'Old Wolf',
          text: 'A novel.',
          sentences: ['A novel.'],
          url: 'https://wiki.test/Old',
        },
        score: null,
      },
    ]);
    expect(calls).toEqual([
      {
        x: '1',
        action: 'query',
        format: 'json',
        formatversion: '2',
        origin: '*',
        maxlag: '5',
        generator: 'search',
        gsrsearch: 'wolf',
        gsrlimit: '7',
        gsrnamespace: '0',
        prop: 'extracts|info',
        inprop: 'url',
        exintro: '1',
        explaintext: '1',
        exlimit: 'max',
        redirects: '1',
      },
    ]);
    expect(urls).toEqual(['https://wiki.test/w/api.php']);
    expect(headers[0]).toMatchObject({ 'Api-User-Agent': 'Forage/1 (research workbench)' });
    expect(engine.id).toBe('mediawiki:https://wiki.test/w/api.php?x=1');
    expect(engine.address).toBe('https://wiki.test/w/api.php?x=1');
  });

  test('fifty at most', async () => {
    const { search, calls } = wiki(() => pages(old));
    await search('wolf', 51);
    expect(calls[0]?.['gsrlimit']).toBe('50');
  });

  test.each([
    ['Who wrote "Old Wolf"?', ['Who wrote Old Wolf', 'Old Wolf']],
    [
      'is Old Wolf by Kerlund of 1931',
      ['is Old Wolf by Kerlund of 1931', 'Old Wolf Kerlund 1931', 'Old Wolf'],
    ],
    // The first word is a name where it opens no question; of equally long names the first.
    ['Oslo or Rome', ['Oslo or Rome', 'Oslo Rome', 'Oslo']],
    ['Where is Oslo', ['Where is Oslo', 'Oslo']],
    ['grey wolf', ['grey wolf']],
    ['Wolf', ['Wolf']],
    ['What', ['What']],
    ['-wolf !!  pack-hunt ~x* [a] {b} <c> #d: e|f \\ “g” =h', ['wolf pack-hunt x a b c d e f g h']],
    ['x'.repeat(300), ['x'.repeat(280)]],
    [`${'x'.repeat(279)}😀`, ['x'.repeat(279)]],
    ['??', []],
    ['O’Brien-Smith J.R. 24', ['O’Brien-Smith J.R. 24']],
  ])('for %j: %j', async (query, asked) => {
    const { search, calls } = wiki(() => nothing);
    expect(await search(query)).toEqual([]);
    expect(calls.map(({ gsrsearch }) => gsrsearch)).toEqual(asked);
  });

  test('no more once something is found', async () => {
    const { search, calls } = wiki(({ gsrsearch }) =>
      gsrsearch === 'Old Wolf' ? pages(old) : nothing,
    );
    expect(await search('Was Old Wolf by Kerlund')).toHaveLength(1);
    expect(calls).toHaveLength(3);
    const second = wiki(({ gsrsearch }) =>
      gsrsearch === 'Old Wolf Kerlund' ? pages(old) : nothing,
    );
    expect(await second.search('Was Old Wolf by Kerlund')).toHaveLength(1);
    expect(second.calls).toHaveLength(2);
  });
});

describe('what a wiki answers', () => {
  test('in the order of its search; pages without a place come last', async () => {
    const { search } = wiki(() =>
      pages(
        { title: 'No place', extract: 'x.' },
        { pageid: 2, title: 'Second', index: 2, extract: 'y.' },
        { pageid: 1, title: 'First', index: 1, extract: 'z.' },
      ),
    );
    const found = await search('wolf');
    expect(found.map(({ passage: { id } }) => id)).toEqual([
      'wiki.test/1',
      'wiki.test/2',
      'wiki.test/No place',
    ]);
    expect(found[0]!.passage.url).toBeUndefined();
  });

  test('over several calls, five at most', async () => {
    const { search, calls } = wiki(({ excontinue = '0' }) => ({
      continue: { excontinue: Number(excontinue) + 1, continue: '||' },
      query: {
        pages: [
          excontinue === '0'
            ? { pageid: 5, title: 'Old Wolf', index: 1 }
            : { title: 'Old Wolf', extract: `Part ${excontinue}.` },
        ],
      },
    }));
    const [found] = await search('wolf');
    expect(calls.map(({ excontinue }) => excontinue)).toEqual([undefined, '1', '2', '3', '4']);
    expect(calls[1]).toMatchObject({ continue: '||', gsrsearch: 'wolf' });
    expect(found?.passage).toMatchObject({ id: 'wiki.test/5', text: 'Part 4.' });
  });

  test('a batch that is complete is not continued', async () => {
    const { search, calls } = wiki(() => ({ ...pages(old), continue: { gsroffset: 3 } }));
    await search('wolf');
    expect(calls).toHaveLength(1);
  });

  test('snippets, where a page has no introduction, without their markup', async () => {
    const { search, calls } = wiki(({ list }) =>
      list === 'search'
        ? {
            batchcomplete: true,
            query: {
              search: [
                {
                  pageid: 5,
                  snippet: "<b>A</b> '''novel''' [[by|of]] [[Kerlund]]{{x|y}} &amp; more.",
                },
                { pageid: 6 },
              ],
            },
          }
        : pages(
            { ...old, extract: ' ' },
            { pageid: 6, title: 'Mute', index: 2 },
            { pageid: 7, title: 'Told', index: 3, extract: 'Told.' },
          ),
    );
    const found = await search('wolf');
    expect(found.map(({ passage: { title, text } }) => [title, text])).toEqual([
      ['Old Wolf', 'A novel of Kerlund & more.'],
      ['Told', 'Told.'],
    ]);
    expect(calls[1]).toEqual({
      x: '1',
      action: 'query',
      format: 'json',
      formatversion: '2',
      origin: '*',
      maxlag: '5',
      list: 'search',
      srsearch: 'wolf',
      srlimit: '3',
      srnamespace: '0',
      srprop: 'snippet',
    });
  });

  test.each([
    [
      'readapidenied',
      'this wiki can only be read after logging in, which Forage does not do',
      false,
    ],
    ['cirrussearch-too-busy-error', 'the search of this wiki is busy', true],
    ['search-title-disabled', 'search is switched off on this wiki', false],
    ['maxlag', 'maxlag: said', true],
    ['ratelimited', 'ratelimited: said', true],
    ['readonly', 'readonly: said', true],
    ['other', 'other: said', false],
  ])('the error %s', async (code, message, transient) => {
    const { search, calls } = wiki(() => ({ error: { code, info: 'said' } }));
    await expect(search('wolf')).rejects.toMatchObject({ fault: 'engine', message, transient });
    expect(calls).toHaveLength(transient ? 2 : 1);
  });

  test('an error without words, and one that asks for rest', async () => {
    await expect(wiki(() => ({ error: { code: 'x' } })).search('wolf')).rejects.toThrow(/^x: ?$/);
    const lagging = wiki(() =>
      Response.json({ error: { code: 'maxlag', info: '' } }, { headers: { 'Retry-After': '5' } }),
    );
    await expect(lagging.search('wolf')).rejects.toMatchObject({ retryAfterMs: 5000 });
    expect(lagging.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5000);
  });

  test.each([{}, { continue: {} }, { query: { pages: [{}] } }, []])(
    'no answer: %j',
    async (answer) => {
      await expect(wiki(() => answer).search('wolf')).rejects.toMatchObject({
        fault: 'wrong-shape',
      });
    },
  );
  test('a query without a batch is an answer', async () => {
    expect(await wiki(() => ({ query: {} })).search('wolf')).toEqual([]);
  });
});

describe('a wiki that may not be told who asks', () => {
  const refusing: Reply = (_, { headers }) =>
    headers && 'Api-User-Agent' in headers ? new TypeError('Failed to fetch') : pages(old);

  test('is asked without, from then on', async () => {
    const { search, headers } = wiki(refusing);
    expect(await search('wolf')).toHaveLength(1);
    const told = headers.map((each) => 'Api-User-Agent' in (each as object));
    // Twice with it, as the network may have failed; then without.
    expect(told).toEqual([true, true, false]);
    await search('owl');
    expect('Api-User-Agent' in (headers.at(-1) as object)).toBe(false);
    expect(headers).toHaveLength(4);
  });

  test('that is not there at all is told again the next time', async () => {
    const { search, headers } = wiki(() => new TypeError('Failed to fetch'));
    await expect(search('wolf')).rejects.toMatchObject({ fault: 'unreachable' });
    expect(headers).toHaveLength(4);
    await expect(search('wolf')).rejects.toMatchObject({ fault: 'unreachable' });
    expect('Api-User-Agent' in (headers[4] as object)).toBe(true);
  });

  test('other faults are no reason to leave it out', async () => {
    const { search, headers } = wiki(() => new Response('no', { status: 404 }));
    await expect(search('wolf')).rejects.toMatchObject({ status: 404 });
    expect(headers).toHaveLength(1);
  });
});

describe('answers that are kept, where nothing else is said', () => {
  const answer = (text: string): Found[] => [
    { passage: { id: 'a', title: '', text, sentences: [] }, score: null },
  ];
  test('512 of them, for a day, of eight million characters', async () => {
    let now = 0;
    const cache = new AnswerCache({ clock: () => now });
    for (let i = 0; i < 513; i++) cache.set(`${i}`, answer(''));
    expect(cache.size).toBe(512);
    expect(await cache.get('0')).toBeNull();
    now = 86_400_000;
    expect(await cache.get('1')).toEqual(answer(''));
    now += 1;
    expect(await cache.get('2')).toBeNull();
    const large = new AnswerCache({ clock: () => 0 });
    // 2 · 4,194,204 and 200 are exactly 8 · 2²⁰.
    large.set('a', answer('x'.repeat(4_194_204)));
    expect([large.size, large.chars]).toEqual([1, 8_388_608]);
    large.set('b', answer('x'.repeat(4_194_205)));
    expect([large.size, large.chars]).toEqual([0, 0]);
  });
});
