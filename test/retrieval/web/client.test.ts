import { describe, expect, test } from 'vitest';
import { buildWebIndex } from '../../../src/retrieval/world/write.ts';
import { WebIndex } from '../../../src/retrieval/web/client.ts';
import {
  LENGTHS_FILE,
  passageShardFile,
  termShard,
  termShardFile,
  webHeaderSchema,
  WEB_HEADER_FILE,
} from '../../../src/retrieval/web/format.ts';
import { decodePassages } from '../../../src/retrieval/web/passages.ts';
import { decodePostings } from '../../../src/retrieval/web/postings.ts';
import { wrapShard } from '../../../src/retrieval/web/container.ts';
import { fetchFrom, passage } from '../passages.ts';

const corpus = [
  passage('b', 'Wolf', 'A wolf and a fox.'),
  passage('a', 'Fox', 'A fox.'),
  passage('c', 'Owl', 'An owl.'),
];
const json = (bytes: Uint8Array | undefined): unknown =>
  JSON.parse(new TextDecoder().decode(bytes));

describe('the files of an index', () => {
  test('are 64 shards of terms, passages by id in shards of 64, titles twice', () => {
    const many = Array.from({ length: 130 }, (_, i) => passage(`p${i}`, `T${i}`, 'x'));
    const files = buildWebIndex(many);
    const shards = Array.from({ length: 64 }, (_, i) => `web/terms-${i}.bin`);
    expect([...files.keys()].toSorted()).toEqual(
      [
        'web/index.json',
        'web/lengths.bin',
        ...shards,
        ...[0, 1, 2].map((i) => `web/passages-${i}.bin`),
      ].toSorted(),
    );
    expect(json(files.get(WEB_HEADER_FILE))).toEqual({
      format: 'forage.web/1',
      documents: 130,
      averageLength: 3,
      titleWeight: 2,
      termShards: 64,
      passagesPerShard: 64,
    });
  });

  test('hold what they say', () => {
    const files = buildWebIndex(corpus, { termShards: 1, passagesPerShard: 2 });
    const shard = (name: string) => files.get(name) ?? new Uint8Array();
    expect(decodePassages(shard(passageShardFile(0)), 'x').map(({ id }) => id)).toEqual(['a', 'b']);
    expect(decodePassages(shard(passageShardFile(1)), 'x').map(({ id }) => id)).toEqual(['c']);
    expect(files.has(passageShardFile(2))).toBe(false);
    // In order of id: a is 0, b is 1. Fox is in the title of a (twice) and in its text.
    expect(decodePostings(shard(termShardFile(0)), 'x', 3)).toEqual(
      new Map([
        ['fox', { documents: [0, 1], frequencies: [3, 1] }],
        ['a', { documents: [0, 1], frequencies: [1, 2] }],
        ['wolf', { documents: [1], frequencies: [3] }],
        ['and', { documents: [1], frequencies: [1] }],
        ['owl', { documents: [2], frequencies: [3] }],
        ['an', { documents: [2], frequencies: [1] }],
      ]),
    );
    const weighted = buildWebIndex(corpus, { titleWeight: 5, termShards: 1 });
    expect(
      decodePostings(weighted.get(termShardFile(0)) ?? new Uint8Array(), 'x', 3).get('owl'),
    ).toEqual({ documents: [2], frequencies: [6] });
  });

  test('of nothing', async () => {
    const index = await WebIndex.open(fetchFrom(buildWebIndex([])));
    expect(await index.search('wolf', 3)).toMatchObject({ ranked: [] });
    expect(index.header.averageLength).toBe(0);
  });
});

describe('a search', () => {
  const opened = async (options = {}) => {
    const asked: string[] = [];
    const files = fetchFrom(buildWebIndex(corpus, options));
    const index = await WebIndex.open((name, how) => {
      asked.push(name);
      return files(name, how);
    });
    asked.length = 0;
    return { index, asked };
  };

  test('gives the k best, of equal ones the smaller id', async () => {
    const equal = ['c', 'a', 'b'].map((id) => passage(id, 'Town', 'x'));
    const index = await WebIndex.open(fetchFrom(buildWebIndex(equal)));
    const ids = async (k: number) =>
      (await index.search('town', k)).ranked.map(({ passage: { id } }) => id);
    expect([await ids(0), await ids(2), await ids(9)]).toEqual([[], ['a', 'b'], ['a', 'b', 'c']]);
  });

  test('scores by BM25: k1 = 1.2 and b = 0.75, or as it is told', async () => {
    // Lengths 4, 7 and 4: the mean is 5. Owl is in one of three: ln(1 + 2.5 / 1.5), three times.
    const idf = Math.log(1 + 2.5 / 1.5);
    const { index } = await opened();
    const [owl] = (await index.search('owl', 1)).ranked;
    expect(owl?.score).toBeCloseTo((idf * 3 * 2.2) / (3 + 1.2 * (0.25 + (0.75 * 4) / 5)), 12);
    const [twice] = (await index.search('owl owl', 1)).ranked;
    expect(twice?.score).toBeCloseTo(2 * (owl?.score ?? NaN), 12);
    const other = await WebIndex.open(fetchFrom(buildWebIndex(corpus)), { k1: 2, b: 0 });
    expect((await other.search('owl', 1)).ranked[0]?.score).toBeCloseTo((idf * 9) / 5, 12);
  });

  test('keeps 256 shards of a kind, until it is told to forget', async () => {
    const many = Array.from({ length: 258 }, (_, i) => passage(`p${i}`, `word${i}`, 'x'));
    const asked: string[] = [];
    const files = fetchFrom(buildWebIndex(many, { passagesPerShard: 1, termShards: 1 }));
    const index = await WebIndex.open((name, how) => {
      asked.push(name);
      return files(name, how);
    });
    for (let i = 0; i < 256; i++) await index.search(`word${i}`, 1);
    asked.length = 0;
    await index.search('word0', 1);
    expect(asked).toEqual([]);
    await index.search('word256', 1);
    asked.length = 0;
    await index.search('word0', 1);
    expect(asked).toEqual([]);
    await index.search('word1', 1);
    expect(asked).toHaveLength(1);
    asked.length = 0;
    index.clearCache();
    await index.search('word1', 1);
    expect(asked).toHaveLength(2);
  });

  test('says which document is not where it should be', async () => {
    const files = new Map(buildWebIndex(corpus, { termShards: 1 }));
    files.set(passageShardFile(0), wrapShard('FWPS', new TextEncoder().encode('[]')));
    const index = await WebIndex.open(fetchFrom(files));
    await expect(index.search('owl', 1)).rejects.toThrow(
      'web/passages-0.bin: document 2 is missing',
    );
    index.clearCache();
    files.set(passageShardFile(0), wrapShard('FWPS', new TextEncoder().encode('[1]')));
    await expect(index.search('owl', 1)).rejects.toThrow('web/passages-0.bin: 0');
  });

  test('of words together looks into terms alone', async () => {
    const { index, asked } = await opened();
    expect(await index.together(['wolf', 'fox'])).toBe(true);
    expect(asked.toSorted()).toEqual(
      ['wolf', 'fox'].map((word) => termShardFile(termShard(word, 64))).toSorted(),
    );
    expect(await index.together(['wolf', 'owl'])).toBe(false);
    expect(await index.together(['wolf', 'fox', 'owl'])).toBe(false);
    expect(await index.together(['fox'])).toBe(true);
    expect(await index.together(['bear'])).toBe(false);
    expect(await index.together(['fox', 'bear'])).toBe(false);
    expect(await index.together([])).toBe(false);
  });
});

test('a term falls on its shard by FNV-1a', () => {
  // FNV-1a of "a" is e40c292c; of nothing 811c9dc5.
  expect(termShard('a', 1000)).toBe(0xe40c292c % 1000);
  expect(termShard('', 64)).toBe(0x811c9dc5 % 64);
});

test.each([
  { documents: -1 },
  { averageLength: -0.5 },
  { titleWeight: 0 },
  { termShards: 0 },
  { passagesPerShard: 0 },
  { format: 'forage.web/2' },
])('a header with %j is none', async (change) => {
  const files = new Map(buildWebIndex(corpus));
  const header = json(files.get(WEB_HEADER_FILE)) as object;
  expect(webHeaderSchema.parse(header)).toEqual(header);
  files.set(WEB_HEADER_FILE, new TextEncoder().encode(JSON.stringify({ ...header, ...change })));
  await expect(WebIndex.open(fetchFrom(files))).rejects.toThrow('web/index.json: ');
  expect(files.has(LENGTHS_FILE)).toBe(true);
});
