import { beforeAll, describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { ExactIndex } from '../../../src/retrieval/dense/dense.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import type { WorldManifest, WorldQuestion } from '../../../src/retrieval/world/manifest.ts';
import { decodeVectors, encodeVectors } from '../../../src/retrieval/world/vectors.ts';
import { writeWorld } from '../../../src/retrieval/world/write.ts';
import { fetchFrom, passage } from '../passages.ts';

const local = ['b', 'a'].map((id) => passage(id, `T ${id}`, `Text of ${id}.`));
const web = [passage('w', 'W', 'Web.')];
const questions: WorldQuestion[] = [{ id: 'q', text: 'Q?', answers: ['A'], supporting: [] }];
const encoder = {
  id: 'e@1',
  dimensions: 2,
  encodeQuery: async () => Float32Array.of(1, 0),
  encodePassages: async (
    some: readonly { id: string }[],
    onProgress?: (d: number, t: number) => void,
  ) => {
    onProgress?.(some.length, some.length);
    return {
      dimensions: 2,
      values: Float32Array.from(some.flatMap(({ id }) => (id === 'a' ? [1, 0] : [0, 1]))),
    };
  },
};

let files: Map<string, Uint8Array>;
let order: string[];
beforeAll(async () => {
  files = new Map();
  order = [];
  const write = async (name: string, bytes: Uint8Array) => {
    order.push(name);
    files.set(name, bytes);
  };
  await writeWorld({ seed: 3, local, web, questions }, write, encoder);
});
const json = (name: string): unknown => JSON.parse(new TextDecoder().decode(files.get(name)));
const changed = (name: string, change: (value: never) => unknown) => {
  const all = new Map(files);
  all.set(name, new TextEncoder().encode(JSON.stringify(change(json(name) as never))));
  return all;
};
/** The folder with one file in another form, of which the manifest knows. */
const resigned = (name: string, bytes: Uint8Array) => {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return changed('manifest.json', (manifest: WorldManifest) => ({
    ...manifest,
    files: { ...manifest.files, [name]: { bytes: bytes.length, sha256 } },
  })).set(name, bytes);
};
const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const load = (all: Map<string, Uint8Array>) => loadWorld(fetchFrom(all));

describe('a world folder', () => {
  test('is listed in its manifest, which is written last', () => {
    expect(order.at(-1)).toBe('manifest.json');
    const { files: listed, ...rest } = json('manifest.json') as WorldManifest;
    expect(rest).toEqual({
      format: 'forage.world/1',
      seed: 3,
      counts: { local: 2, web: 1, questions: 1 },
      vectors: { dimensions: 2, encoder: 'e@1' },
    });
    expect(Object.keys(listed).toSorted()).toEqual(order.slice(0, -1).toSorted());
    for (const name of ['local.json', 'questions.json', 'vectors.f16', 'web/index.json'])
      expect(listed[name]).toEqual({
        bytes: files.get(name)?.length,
        sha256: createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
      });
  });

  test('tells how far the encoder is', async () => {
    const told: unknown[] = [];
    const write = () => Promise.resolve();
    await writeWorld({ seed: 3, local, web, questions }, write, encoder, (...now) =>
      told.push(now),
    );
    expect(told).toEqual([[2, 2]]);
  });

  test('is searched by words and vectors, or by words alone', async () => {
    const world = await load(files);
    const { hits } = await openWorldRetriever(world, fetchFrom(files), { encoder }).search(
      'local',
      'b',
      2,
    );
    expect(
      hits.map(({ passage: { id }, lexicalRank, denseRank }) => [id, lexicalRank, denseRank]),
    ).toEqual([
      ['b', 1, 2],
      ['a', undefined, 1],
    ]);
    const plain = openWorldRetriever(world, fetchFrom(files));
    expect((await plain.search('local', 'b', 2)).hits).toHaveLength(1);
    expect((await plain.search('web', 'web', 1)).hits[0]!.similarity).toBeUndefined();
    const both = openWorldRetriever(world, fetchFrom(files), { encoder, webDelayMs: () => 1 });
    const found = await both.search('web', 'web', 1);
    expect(found.addedDelayMs).toBe(1);
    expect(found.hits[0]?.similarity).toBe(0);
    const other = openWorldRetriever(world, fetchFrom(files), {
      encoder,
      dense: ({ dimensions, values }) =>
        new ExactIndex({ dimensions, values: values.map((v) => -v) }),
    });
    expect((await other.local.search('nothing', 1)).hits[0]?.passage.id).toBe('b');
  });

  test('without vectors has none to be searched', async () => {
    const world = { ...(await load(files)), vectors: null };
    expect(() => openWorldRetriever(world, fetchFrom(files), { encoder })).toThrow(
      'this world has no vectors; build it with an encoder',
    );
  });

  test('fetches the web anew where its cache is off', async () => {
    const world = await load(files);
    const requests = async (webCache: 'memory' | 'off') => {
      const { web: source } = openWorldRetriever(world, fetchFrom(files), { webCache });
      await source.search('web', 1);
      return (await source.search('web', 1)).requests;
    };
    expect([await requests('memory'), await requests('off')]).toEqual([0, 2]);
  });
});

describe('a folder at fault', () => {
  test('names what is missing, longer or other than listed', async () => {
    const missing = changed('manifest.json', (manifest: WorldManifest) => ({
      ...manifest,
      files: { 'questions.json': manifest.files['questions.json'] },
    }));
    await expect(load(missing)).rejects.toThrow(
      /^manifest.json: does not list (local\.json|vectors\.f16)$/,
    );
    await expect(load(resigned('local.json', text([])))).rejects.toThrow(
      'local.json: 0 entries, the manifest says 2',
    );
    await expect(load(resigned('questions.json', text([])))).rejects.toThrow(
      'questions.json: 0 entries, the manifest says 1',
    );
    await expect(load(resigned('vectors.f16', new Uint8Array(7)))).rejects.toThrow(
      'vectors.f16: 7 bytes, expected 2 vectors of 2 halves',
    );
    await expect(load(resigned('local.json', text([{ id: 1 }])))).rejects.toThrow('local.json: 0');
  });

  test.each([
    { counts: { local: -1, web: 0, questions: 0 } },
    { counts: { local: 0.5, web: 0, questions: 0 } },
    { vectors: { dimensions: 0, encoder: 'x' } },
    { seed: 0.5 },
    { format: 'forage.world/2' },
    { files: { x: { bytes: 1, sha256: `${'0'.repeat(63)}g` } } },
    { files: { x: { bytes: 1, sha256: '0'.repeat(65) } } },
    { files: { x: { bytes: 1, sha256: `x${'0'.repeat(64)}` } } },
  ])('of a manifest with %j', async (change) => {
    const all = changed('manifest.json', (manifest: WorldManifest) => ({ ...manifest, ...change }));
    await expect(load(all)).rejects.toThrow('manifest.json: ');
  });

  test.each([{ type: 'other' }, { hops: 0 }, { split: 'all' }, { supporting: 'x' }])(
    'of a question with %j',
    async (change) => {
      const bytes = text([{ ...questions[0], ...change }]);
      await expect(load(resigned('questions.json', bytes))).rejects.toThrow('questions.json: 0');
    },
  );
  test.each(['bridge', 'comparison', 'intersection', 'yesno', 'summary'])(
    'a question of type %s',
    async (type) => {
      for (const split of ['train', 'dev', 'test']) {
        const bytes = text([{ ...questions[0], type, split, hops: 1 }]);
        expect((await load(resigned('questions.json', bytes))).questions[0]).toMatchObject({
          type,
          split,
        });
      }
    },
  );
});

test('vectors are halves, little endian, wherever they lie', () => {
  // 1 is 0x3c00, −2 is 0xc000, 0.5 is 0x3800.
  const bytes = encodeVectors({ dimensions: 1, values: Float32Array.of(1, -2, 0.5) });
  expect([...bytes]).toEqual([0, 0x3c, 0, 0xc0, 0, 0x38]);
  const inside = Uint8Array.of(9, 9, 9, ...bytes, 9);
  expect(decodeVectors(inside.subarray(3, 9), 'v', 3, 1)).toEqual({
    dimensions: 1,
    values: Float32Array.of(1, -2, 0.5),
  });
  // A buffer of Node's, whose slices are views.
  expect(decodeVectors(Buffer.from(inside).subarray(3, 9), 'v', 3, 1).values).toEqual(
    Float32Array.of(1, -2, 0.5),
  );
  for (const [rows, dimensions] of [
    [2, 1],
    [3, 2],
    [4, 1],
  ] as const)
    expect(() => decodeVectors(bytes, 'v', rows, dimensions)).toThrow(
      `v: 6 bytes, expected ${rows} vectors of ${dimensions} halves`,
    );
});
