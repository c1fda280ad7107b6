import { describe, expect, test } from 'vitest';
import { completeAddress } from '../../../../src/retrieval/engines/address.ts';
import type { Engine } from '../../../../src/retrieval/engines/kinds/engine.ts';
import { engineKind } from '../../../../src/retrieval/engines/kinds/list.ts';
import {
  passageOf,
  splitContents,
  textKey,
  type Found,
} from '../../../../src/retrieval/engines/kinds/passages.ts';
import { cleanText, htmlToText } from '../../../../src/retrieval/engines/kinds/plain-text.ts';
import { EngineHttp } from '../../../../src/retrieval/engines/http/http.ts';

describe('a passage of what an engine found', () => {
  const of = (part: object) => passageOf({ id: 'i', title: 'T', text: 'One. Two.', ...part });
  test.each([
    [{}, { id: 'i', title: 'T', text: 'One. Two.', sentences: ['One.', 'Two.'] }],
    [{ text: ' One. \n Two.\u0000 ' }, { text: 'One. Two.', sentences: ['One.', 'Two.'] }],
    [{ title: '' }, { title: 'One.' }],
    [{ title: ' ', text: `${'x'.repeat(61)}.` }, { title: 'x'.repeat(60) }],
    [{ title: 'y'.repeat(301) }, { title: 'y'.repeat(300) }],
    [{ url: 'https://a.org/b' }, { url: 'https://a.org/b' }],
    [{ url: 'http://a.org' }, { url: 'http://a.org' }],
    [{ url: 'HTTPS://a.org/ b' }, { url: 'https://a.org/%20b' }],
    // Two sentences, each with its space, of 2,995 and 5 characters fill the room.
    [{ text: `${'x'.repeat(2993)}. Two.` }, { text: `${'x'.repeat(2993)}. Two.` }],
    [{ text: `${'x'.repeat(2994)}. Two.` }, { text: `${'x'.repeat(2994)}.` }],
    [{ text: 'x'.repeat(3001) }, { text: 'x'.repeat(3000) }],
  ])('%#', (part, expected) => expect(of(part)).toMatchObject(expected));

  test.each([
    'javascript:alert(1)',
    'ftp://a.org',
    'a.org',
    '',
    `https://a.org/${'x'.repeat(2000)}`,
  ])('the address %s is dropped', (url) => expect(of({ url })!.url).toBeUndefined());
  test('no text, no passage', () => {
    expect(of({ text: ' ' })).toBeNull();
    expect(of({})!.url).toBeUndefined();
  });

  test.each([
    ['"Low Tide"\nA novel.', 'Low Tide', 'A novel.'],
    ['Low Tide\nA novel.\nOf 1931.', 'Low Tide', 'A novel.\nOf 1931.'],
    ['A novel.', '', 'A novel.'],
    ['"A novel."', '', 'A novel.'],
    ['Low Tide\n ', '', 'Low Tide'],
    ['', '', ''],
  ])('contents %j', (contents, title, text) =>
    expect(splitContents(contents)).toEqual({ title, text }),
  );

  test('keys: 16 hexadecimal digits, others for other texts and orders', () => {
    const keys = ['', 'a', 'b', 'ab', 'ba', 'aab', 'aba', 'x'.repeat(99)].map(textKey);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{16}$/);
    // Of nothing they are the two offsets; FNV-1a of "a" is e40c292c.
    expect(textKey('')).toBe('811c9dc5050c5d1f');
    expect(textKey('a').slice(0, 8)).toBe('e40c292c');
  });
});

describe('markup as text', () => {
  test.each([
    ['a<b>b</b>c', 'abc'],
    ['a<br>b<p>c</p>d', 'a b c d'],
    ['<h1>a</h1><h2>b</h2>', 'a b'],
    ['a<div class="x">b', 'a b'],
    ['a<pre>b', 'ab'],
    ['a<script>b</script>c', 'a c'],
    ['a<STYLE x="y">b</STYLE >c', 'a c'],
    ['a<!-- b -->c', 'ac'],
    ['1 < 2 > 0', '1 < 2 > 0'],
    ['a<1>b', 'a<1>b'],
    ['&amp;lt;', '&lt;'],
    ['&lt;b&gt;', '<b>'],
    ['&#65;&#x42;&QUOT;', 'AB"'],
    ['&apos;&nbsp;&ndash;&mdash;&hellip;&lsquo;&rsquo;&ldquo;&rdquo;', "' –—…‘’“”"],
    ['&bogus; &#0; &#xD800; &#x110000; &#x10FFFF;', `&bogus; \uFFFD \uFFFD \uFFFD \u{10FFFF}`],
    [`${'x'.repeat(19_999)}yz`, `${'x'.repeat(19_999)}y`],
  ])('%#', (html, text) => expect(htmlToText(html)).toBe(text));

  test('one line, without control characters and halves of characters', () => {
    expect(cleanText(' a\u0000\u0085b\u200b\n\tc\ufeff ')).toBe('a b c');
    expect(cleanText('a\ud800b😀')).toBe('a\uFFFDb😀');
  });
});

test.each([
  ['search-r1', 'localhost:8000', 'http://localhost:8000/retrieve'],
  ['search-r1', '127.0.0.1:8000/', 'http://127.0.0.1:8000/retrieve'],
  ['search-r1', '[::1]:80', 'http://[::1]/retrieve'],
  ['search-r1', '10.0.0.1', 'http://10.0.0.1/retrieve'],
  ['search-r1', '192.168.1.1', 'http://192.168.1.1/retrieve'],
  ['search-r1', '0.0.0.0:1', 'http://0.0.0.0:1/retrieve'],
  ['search-r1', '110.0.0.1', 'https://110.0.0.1/retrieve'],
  ['search-r1', 'a.org/own', 'https://a.org/own'],
  ['search-r1', 'a.org/batch_search', 'https://a.org/retrieve'],
  ['search-r1', 'http://a.org/#x', 'http://a.org/retrieve'],
  ['mediawiki', 'de.wikipedia.org', 'https://de.wikipedia.org/w/api.php'],
  ['mediawiki', 'https://de.wikipedia.org/wiki/Oslo?x=1', 'https://de.wikipedia.org/w/api.php'],
  ['mediawiki', 'a.org/wiki/Oslo', 'https://a.org/api.php'],
  ['mediawiki', 'a.org/w/index.php/Oslo', 'https://a.org/w/api.php'],
  ['mediawiki', 'a.org/own/api.php', 'https://a.org/own/api.php'],
  ['mediawiki', 'a.org/folder/', 'https://a.org/folder/api.php'],
  ['mediawiki', 'notwikipedia.org', 'https://notwikipedia.org/api.php'],
  ['searxng', 'localhost:8080/search', 'http://localhost:8080/'],
  ['searxng', 'a.org/sub/search/', 'https://a.org/sub'],
  ['searxng', 'ftp://a.org', null],
  ['searxng', 'https://me@a.org', null],
  ['searxng', 'https://:pw@a.org', null],
  ['searxng', 'a b', null],
])('%s, typed %s: %s', (kind, typed, address) =>
  expect(completeAddress(kind, typed)).toBe(address),
);

describe('what servers answer', () => {
  /** A search of an engine whose server gives this answer, and what it was asked. */
  async function searched(engine: Engine, answer: unknown, k = 3, query = 'who?') {
    const calls: { url: string; body: unknown }[] = [];
    const http = new EngineHttp(
      {
        fetch: (url, init) => {
          const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : null;
          calls.push({ url: url instanceof Request ? url.url : url.toString(), body });
          return Promise.resolve(Response.json(answer));
        },
        now: () => 0,
        sleep: () => Promise.resolve(),
        random: () => 0,
      },
      { retries: 0, intervalMs: 0 },
    );
    const found = await engine.search({ query, k, http, meter: { requests: 0, bytes: 0 } });
    return { found: found.map(short), calls };
  }
  const short = ({ passage: { id, title, text }, score }: Found) => [id, title, text, score];
  const open = (kind: string) => engineKind(kind).open('http://a.org/call');

  test('Search-R1: documents with and without scores, by contents or in two', async () => {
    const document = { id: 7, contents: '"T"\nText.' };
    const answer = {
      result: [
        [
          { document, score: 0.5 },
          { document: { ...document, id: 'x' } },
          { title: 'U', text: 'Own.' },
        ],
      ],
    };
    const { found, calls } = await searched(open('search-r1'), answer);
    expect(found).toEqual([
      ['search-r1/7', 'T', 'Text.', 0.5],
      ['search-r1/x', 'T', 'Text.', null],
      [`search-r1/${textKey('U\nOwn.')}`, 'U', 'Own.', null],
    ]);
    expect(calls).toEqual([
      { url: 'http://a.org/call', body: { queries: ['who?'], topk: 3, return_scores: true } },
    ]);
    expect((await searched(open('search-r1'), answer, 2)).found).toHaveLength(2);
    expect((await searched(open('search-r1'), { result: [] })).found).toEqual([]);
    await expect(searched(open('search-r1'), { results: [] })).rejects.toThrow(
      'Search-R1’s /retrieve',
    );
  });

  test('ReSearch: the pair of documents and scores, and documents alone', async () => {
    const documents = [
      { id: '1', contents: 'T\nOne.' },
      { id: '2', contents: 'U\nTwo.' },
    ];
    const { found, calls } = await searched(open('research'), [[documents], [[0.75]]]);
    expect(found).toEqual([
      ['research/1', 'T', 'One.', 0.75],
      ['research/2', 'U', 'Two.', null],
    ]);
    expect(calls[0]?.body).toEqual({ query: ['who?'], top_n: 3, return_score: true });
    expect((await searched(open('research'), [documents], 1)).found).toEqual([
      ['research/1', 'T', 'One.', null],
    ]);
  });

  test('R1-Searcher: number, title and text of a line', async () => {
    const lines = ['12\tTitle: T Text: One.', '"Title: ""U"" Text: Two."', 'three', ' '];
    const { found, calls } = await searched(open('r1-searcher'), { answers: [lines] }, 9);
    expect(found).toEqual([
      ['r1-searcher/12', 'T', 'One.', null],
      [`r1-searcher/${textKey('Title: "U" Text: Two.')}`, '"U"', 'Two.', null],
      [`r1-searcher/${textKey('three')}`, 'three', 'three', null],
    ]);
    expect(calls[0]?.body).toEqual({ queries: ['who?'], k: 9 });
  });

  test('SearXNG: /search below the instance, what it lacks, its order', async () => {
    const results = [
      { url: 'https://b.org', title: '<b>T</b>', content: 'One &amp; two.', score: 2 },
      { title: 'U', content: 'Three.' },
      { url: 'https://c.org', title: 'none', content: null },
    ];
    const engine = engineKind('searxng').open('http://a.org/sub/search/?x=1#y');
    const { found, calls } = await searched(engine, { results }, 5, `${'q'.repeat(1000)}r`);
    expect(found).toEqual([
      [`searxng/${textKey('https://b.org')}`, 'T', 'One & two.', 2],
      [`searxng/${textKey('U\nThree.')}`, 'U', 'Three.', null],
    ]);
    expect(calls[0]?.url).toBe(`http://a.org/sub/search?q=${'q'.repeat(1000)}&format=json`);
    expect(engine.id).toBe('searxng:http://a.org/sub/search');
    expect((await searched(engine, { results }, 1)).found).toHaveLength(1);
  });
});
