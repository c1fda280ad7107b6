import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import { compareCodeUnits, terms } from '../../../src/retrieval/lexical/text.ts';
import { buildWebIndex } from '../../../src/retrieval/world/write.ts';
import { WebIndex } from '../../../src/retrieval/web/client.ts';
import {
  LENGTHS_FILE,
  passageShardFile,
  termShard,
  termShardFile,
  WEB_HEADER_FILE,
} from '../../../src/retrieval/web/format.ts';
import { corpora, fetchFrom, passage, queries } from '../passages.ts';

/** BM25 (k1 = 1.2, b = 0.75, title counted twice) straight from its definition. */
function bruteForce(corpus: readonly Passage[], query: string): [id: string, score: number][] {
  const documents = corpus.map(({ id, title, text }) => ({
    id,
    words: [...terms(title), ...terms(title), ...terms(text)],
  }));
  const mean = documents.reduce((sum, d) => sum + d.words.length, 0) / documents.length;
  const score = (words: string[]): number =>
    terms(query).reduce((sum, term) => {
      const df = documents.filter((d) => d.words.includes(term)).length;
      const tf = words.filter((word) => word === term).length;
      const idf = Math.log(1 + (documents.length - df + 0.5) / (df + 0.5));
      const norm = 1.2 * (1 - 0.75 + (0.75 * words.length) / mean);
      return sum + (idf * tf * 2.2) / (tf + norm);
    }, 0);
  return documents
    .map(({ id, words }): [string, number] => [id, score(words)])
    .filter(([, s]) => s > 0)
    .sort((a, b) => (Math.abs(a[1] - b[1]) < 1e-9 ? compareCodeUnits(a[0], b[0]) : b[1] - a[1]));
}

const small = { termShards: 4, passagesPerShard: 3 };
const corpus = [
  passage('w1', 'Silent Harbor', 'Silent Harbor is a film.', 'It was directed by Mara Voss.'),
  passage('w2', 'Mara Voss', 'Mara Voss was born in Orlen.'),
  passage('w3', 'Orlen', 'Orlen is a city on the Tessa.'),
  passage('w4', 'Tessa', 'The Tessa is a river.'),
];
const files = buildWebIndex(corpus, small);

const size = (name: string): number => files.get(name)?.length ?? NaN;

describe('the static web index', () => {
  it('scores exactly as BM25 over the whole corpus', async () => {
    await fc.assert(
      fc.asyncProperty(corpora, queries, async (passages, query) => {
        const index = await WebIndex.open(fetchFrom(buildWebIndex(passages, small)));
        const { ranked } = await index.search(query, 1000);
        const expected = bruteForce(passages, query);
        expect(ranked).toHaveLength(expected.length);
        const found = new Map(ranked.map((r) => [r.passage.id, r.score]));
        for (const [id, score] of expected) expect(found.get(id)).toBeCloseTo(score, 9);
        const scores = ranked.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
      { numRuns: 60 },
    );
  });

  it('gives back the passages as they were', async () => {
    const index = await WebIndex.open(fetchFrom(files));
    const { ranked } = await index.search('silent harbor', 1);
    expect(ranked[0]?.passage).toEqual(corpus[0]);
  });

  it('keeps why a passage is noise', async () => {
    const noisy: Passage = { ...passage('n', 'Old Harbor', 'Stale.'), noise: 'stale' };
    const index = await WebIndex.open(fetchFrom(buildWebIndex([noisy])));
    expect((await index.search('stale', 1)).ranked[0]?.passage).toEqual(noisy);
  });

  it('fetches only the shards that the query needs, and reports them', async () => {
    const asked: string[] = [];
    const index = await WebIndex.open((name, options) => {
      asked.push(name);
      return fetchFrom(files)(name, options);
    });
    asked.length = 0;
    const result = await index.search('tessa', 2);
    const expected = [
      termShardFile(termShard('tessa', 4)),
      passageShardFile(0),
      passageShardFile(1),
    ];
    expect([...asked].sort()).toEqual([...expected].sort());
    expect(result.requests).toBe(3);
    expect(result.bytes).toBe(expected.map(size).reduce((a, b) => a + b));
    expect(await index.search('tessa', 2)).toMatchObject({ requests: 0, bytes: 0 });
  });

  it('pays for every call with the cache off', async () => {
    const fresh: (boolean | undefined)[] = [];
    const index = await WebIndex.open((name, options) => {
      fresh.push(options?.fresh);
      return fetchFrom(files)(name, options);
    });
    const first = await index.search('tessa', 2, { cache: 'off' });
    expect(await index.search('tessa', 2, { cache: 'off' })).toEqual(first);
    expect(first.requests).toBe(3);
    expect(fresh.slice(2).every((value) => value === true)).toBe(true);
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const index = await WebIndex.open((name, options) => {
      if (name.startsWith('web/terms')) controller.abort(new Error('user left'));
      return fetchFrom(files)(name, options);
    });
    const search = index.search('tessa', 2, { signal: controller.signal });
    await expect(search).rejects.toThrow('user left');
  });
});

const open = (change: (all: Map<string, Uint8Array>) => void): Promise<WebIndex> => {
  const changed = new Map(files);
  change(changed);
  return WebIndex.open(fetchFrom(changed));
};
const edit = (name: string, change: (bytes: Uint8Array) => Uint8Array) => {
  return (all: Map<string, Uint8Array>): void => {
    all.set(name, change(new Uint8Array(all.get(name) ?? [])));
  };
};
const flip = (bytes: Uint8Array): Uint8Array => bytes.map((b, i) => (i === 12 ? b ^ 1 : b));
const terms4 = termShardFile(termShard('tessa', 4));
const header = (text: string) => edit(WEB_HEADER_FILE, () => new TextEncoder().encode(text));
const b0 = new Uint8Array();

describe('broken files of the web index', () => {
  it('says which file is missing', async () => {
    await expect(open((all) => all.delete(LENGTHS_FILE))).rejects.toThrow(
      `${LENGTHS_FILE}: not found`,
    );
  });

  it('says what is wrong with the header', async () => {
    await expect(open(header('{'))).rejects.toThrow('web/index.json: not valid JSON');
    await expect(open(header('{"format":"forage.web/9"}'))).rejects.toThrow(
      'web/index.json: format',
    );
  });

  it('tells cut, damaged and foreign shards apart', async () => {
    const search = async (change: (bytes: Uint8Array) => Uint8Array): Promise<unknown> =>
      (await open(edit(terms4, change))).search('tessa', 1);
    await expect(search((b) => b.subarray(0, 5))).rejects.toThrow(`${terms4}: cut short, 5 bytes`);
    await expect(search((b) => b.subarray(0, 20))).rejects.toThrow('checksum');
    await expect(search(flip)).rejects.toThrow(`${terms4}: damaged`);
    await expect(search(() => files.get(LENGTHS_FILE) ?? b0)).rejects.toThrow('not a term shard');
  });

  it('rejects a table of lengths of another corpus', async () => {
    const other = buildWebIndex(corpus.slice(1), small).get(LENGTHS_FILE) ?? b0;
    await expect(open(edit(LENGTHS_FILE, () => other))).rejects.toThrow('6 bytes for 4 documents');
  });

  it('rejects postings of documents that do not exist', async () => {
    const more = buildWebIndex(
      [...corpus, ...corpus.map((p) => ({ ...p, id: `x${p.id}` }))],
      small,
    );
    const index = await open(edit(terms4, () => more.get(terms4) ?? b0));
    await expect(index.search('tessa', 1)).rejects.toThrow(`${terms4}: malformed term shard`);
  });
});
