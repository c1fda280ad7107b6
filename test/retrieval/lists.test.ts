import { describe, expect, test } from 'vitest';
import { BUILT_IN_SETUP, setupSchemaOf, webSpecSchemaOf } from '../../src/records/setup.ts';
import { ExactIndex, type VectorTable } from '../../src/retrieval/dense/dense.ts';
import { completeAddress } from '../../src/retrieval/engines/address.ts';
import { EngineHttp } from '../../src/retrieval/engines/http/http.ts';
import type { EngineKind } from '../../src/retrieval/engines/kinds/engine.ts';
import { ENGINES } from '../../src/retrieval/engines/kinds/list.ts';
import { passageOf } from '../../src/retrieval/engines/kinds/passages.ts';
import { engineOf } from '../../src/retrieval/engines/open.ts';
import { LOCAL_METHODS } from '../../src/retrieval/methods/list.ts';
import type { LocalMethod } from '../../src/retrieval/methods/method.ts';
import { openLocalSource } from '../../src/retrieval/open-local.ts';
import { passage } from './passages.ts';

/** A definition in a list is all that a retriever needs. */

describe('a search engine', () => {
  const library: EngineKind = {
    id: 'library',
    name: 'Library',
    about: 'A catalogue with an address of its own.',
    example: 'localhost:9000/books',
    path: '/books',
    addressAdvice: 'The address ends in /books.',
    corsAdvice: 'Let it send Access-Control-Allow-Origin.',
    open: (url) => ({
      id: `library:${url}`,
      address: url,
      search: async ({ query, http, meter }) => {
        const text = await http.json({ url: `${url}?q=${query}` }, String, meter);
        const found = passageOf({ id: 'library/1', title: 'Wolves', text });
        return found ? [{ passage: found, score: 2 }] : [];
      },
    }),
  };
  const engines = [...ENGINES, library];

  test('setups may name it, and no other that is not in the list', () => {
    const spec = { kind: 'library', url: 'http://localhost:9000/books' };
    const ids = engines.map(({ id }) => id);
    expect(webSpecSchemaOf(ids).parse(spec)).toEqual(spec);
    const setup = { ...BUILT_IN_SETUP, web: spec };
    expect(setupSchemaOf(['lexical'], ids).parse(setup)).toEqual(setup);
    expect(webSpecSchemaOf(ids).safeParse({ ...spec, kind: 'archive' }).success).toBe(false);
    expect(webSpecSchemaOf(ids).safeParse({ ...spec, url: 'file:///x' }).success).toBe(false);
  });

  test('its address is completed, also from what was left over of another kind', () => {
    const completed = (typed: string) => completeAddress('library', typed, engines);
    expect(completed('localhost:9000')).toBe('http://localhost:9000/books');
    expect(completed('localhost:9000/retrieve')).toBe('http://localhost:9000/books');
    expect(completed('localhost:9000/my/books')).toBe('http://localhost:9000/my/books');
  });

  test('it is asked', async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response('"Wolves hunt in packs."'));
    const clock = { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 };
    const http = new EngineHttp({ ...clock, fetch }, { retries: 0, intervalMs: 0 });
    const engine = engineOf({ kind: 'library', url: 'http://localhost:9000/books' }, engines);
    const meter = { requests: 0, bytes: 0 };
    const found = await engine.search({ query: 'wolf', k: 3, http, meter });
    expect(found.map((one) => [one.passage.text, one.score])).toEqual([
      ['Wolves hunt in packs.', 2],
    ]);
    expect(() => engineOf({ kind: 'archive', url: 'http://a.test' }, engines)).toThrow(
      /no search engine of the kind “archive”; this version knows mediawiki, .*library/,
    );
  });

  test('the kinds that there are have each an id and an address of the call of their own', () => {
    expect(new Set(ENGINES.map(({ id }) => id)).size).toBe(ENGINES.length);
    for (const { id, example } of ENGINES)
      expect(completeAddress(id, example), `${id}: ${example}`).toMatch(/^https?:\/\//);
  });
});

describe('a method of searching passages', () => {
  const passages = [
    passage('a', 'Wolves', 'Wolves hunt in packs.'),
    passage('b', 'Violins', 'A violin has four strings.'),
  ];
  /** One place per passage, by its first letter. */
  const encoder = {
    id: 'letters',
    dimensions: 2,
    encodeQuery: async (text: string) => Float32Array.from(/^w/i.test(text) ? [1, 0] : [0, 1]),
    encodePassages: async (): Promise<VectorTable> => ({
      dimensions: 2,
      values: Float32Array.from([1, 0, 0, 1]),
    }),
  };
  const opposite: LocalMethod = {
    id: 'opposite',
    name: 'dense, opposite',
    way: 'what is least alike',
    words: false,
    dense: async ({ dimensions, values }) => ({
      index: new ExactIndex({ dimensions, values: values.map((value) => -value) }),
      note: 'opposite',
    }),
  };
  const methods = [...LOCAL_METHODS, opposite];
  const open = (method: string, parts = {}) =>
    openLocalSource(passages, { method }, parts, {}, methods);

  test('it answers, by the index that it made of the vectors', async () => {
    const first = async (method: string): Promise<string | undefined> =>
      (await (await open(method, { encoder })).source.search('wolf', 1)).hits[0]?.passage.id;
    expect(await first('flat')).toBe('a');
    expect(await first('opposite')).toBe('b');
    expect((await open('opposite', { encoder })).note).toBe('letters, opposite');
  });

  test('an error names what it needs', async () => {
    await expect(open('opposite')).rejects.toThrow(/"opposite" needs an encoder/);
    await expect(open('sideways')).rejects.toThrow(
      /no search method “sideways”; this version has lexical, .*opposite/,
    );
  });

  test('setups may name it', () => {
    const setup = {
      ...BUILT_IN_SETUP,
      local: {
        kind: 'collections',
        ids: ['c'],
        method: 'opposite',
        encoder: 'built-in',
        reranker: null,
      },
    };
    const ids = methods.map(({ id }) => id);
    expect(setupSchemaOf(ids, ['searxng']).parse(setup)).toEqual(setup);
    expect(setupSchemaOf(['lexical'], ['searxng']).safeParse(setup).success).toBe(false);
  });
});
