import { describe, expect, test } from 'vitest';
import {
  clusterIdentity,
  decodeClusters,
  encodeClusters,
} from '../../../src/retrieval/cluster/file.ts';
import { ClusterIndex } from '../../../src/retrieval/cluster/cluster-index.ts';
import { learnedIdentity, learnedSchema } from '../../../src/retrieval/cluster/learned.ts';
import { SAMPLING_DEFAULTS } from '../../../src/retrieval/cluster/options.ts';
import { CLUSTERS, exactParts } from './parts.ts';

const choice = {
  clusters: 3,
  scores: [{ clusters: 3, inertia: 1.5, elbow: 0.5, silhouette: 0.25, score: 0.75 }],
};
const parts = (bits: 0 | 4 | 8 = 8) => ({ ...exactParts(CLUSTERS, bits), dissolved: 2, choice });

/** Header and what follows, read as the format is described and not by the code. */
function taken(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return { text, length, at: 4 + length, view };
}

/** The file with another header and the same arrays. */
function withHeader(bytes: Uint8Array, change: object): Uint8Array {
  const { text, at } = taken(bytes);
  const header = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  const out = new Uint8Array(4 + header.length + bytes.length - at);
  new DataView(out.buffer).setUint32(0, header.length, true);
  out.set(new TextEncoder().encode(header), 4);
  out.set(bytes.subarray(at), 4 + header.length);
  return out;
}

describe('the bytes of an index', () => {
  test('are a header and its arrays, in the order that is written down', () => {
    const bytes = encodeClusters(parts(), 'who');
    const { text, at, view } = taken(bytes);
    expect(at % 8).toBe(0);
    expect(text.trimEnd().length).toBeGreaterThan(text.length - 8);
    expect(JSON.parse(text)).toEqual({
      format: 'forage.clusters/1',
      identity: 'who',
      size: 6,
      dimensions: 5,
      clusters: 3,
      dissolved: 2,
      subspaces: 5,
      refineBits: 8,
      choice,
    });
    const floats = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => view.getFloat32(from + 4 * i, true));
    const ints = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => view.getInt32(from + 4 * i, true));
    const { centroids, quantizer, refinement, rows, offsets, codes } = parts();
    expect(floats(at, 15)).toEqual([...centroids.values]);
    expect(floats(at + 60, 1280)).toEqual([...quantizer.centroids]);
    expect(floats(at + 60 + 5120, 6)).toEqual([...(refinement?.scales ?? [])]);
    expect(ints(at + 5204, 6)).toEqual([...rows]);
    expect(ints(at + 5228, 4)).toEqual([...offsets]);
    expect([...bytes.subarray(at + 5244, at + 5274)]).toEqual([...codes]);
    expect([...new Int8Array(bytes.buffer, at + 5274)]).toEqual([...(refinement?.codes ?? [])]);
    expect(bytes.length).toBe(at + 5304);
  });

  test.each(['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg', 'abcdefgh'])(
    'begin the arrays at a multiple of eight: %j',
    (identity) => {
      const bytes = encodeClusters(parts(0), identity);
      expect(taken(bytes).at % 8).toBe(0);
      expect(bytes.length).toBe(taken(bytes).at + 5250);
      expect(decodeClusters(bytes, identity)).toEqual(parts(0));
    },
  );

  test.each([0, 4, 8] as const)('are read as they were written, with %i bits', (bits) => {
    const index = parts(bits);
    const bytes = encodeClusters(index, 'who');
    expect(decodeClusters(bytes, 'who')).toEqual(index);
    // Also from the middle of a buffer, and into memory of its own.
    const inside = new Uint8Array(bytes.length + 16);
    inside.set(bytes, 3);
    const read = decodeClusters(inside.subarray(3, 3 + bytes.length), 'who');
    inside.fill(255);
    expect(read).toEqual(index);
    const query = Float32Array.of(1, 2, 4, 8, 16);
    expect(new ClusterIndex(read).search(query, 6)).toEqual(
      new ClusterIndex(index).search(query, 6),
    );
  });

  test('without a choice, where the number of clusters was given', () => {
    const none = { ...parts(), choice: null };
    expect(decodeClusters(encodeClusters(none, 'x'), 'x').choice).toBeNull();
  });
});

describe('what is no index is refused', () => {
  const bytes = encodeClusters(parts(), 'who');
  const refused = (some: Uint8Array) => expect(() => decodeClusters(some, 'who'));

  test('wherever it is cut, or goes on', () => {
    const { at } = taken(bytes);
    for (const length of [0, 1, 3])
      refused(bytes.slice(0, length)).toThrow(`stored clusters: ${length} bytes are no index`);
    for (const length of [4, 5, at - 1, at, at + 1, bytes.length - 1])
      refused(bytes.slice(0, length)).toThrow('stored clusters: cut short');
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    refused(longer).toThrow('stored clusters: more than an index');
  });

  test('a header of exactly what is left is a header', () => {
    const header = new TextEncoder().encode('{}');
    refused(Uint8Array.of(2, 0, 0, 0, ...header)).toThrow(/stored clusters: .*format/);
    refused(Uint8Array.of(3, 0, 0, 0, ...header)).toThrow('cut short');
  });

  test.each([
    { format: 'forage.clusters/2' },
    { size: 0 },
    { size: 1.5 },
    { dimensions: 0 },
    { clusters: 0 },
    { dissolved: -1 },
    { subspaces: 0 },
    { refineBits: 2 },
    { choice: { clusters: 0, scores: [] } },
    { choice: { clusters: 1, scores: [{ ...choice.scores[0], clusters: 0 }] } },
    { choice: { clusters: 1, scores: [{ ...choice.scores[0], score: null }] } },
    { more: 1 },
  ])('with the header %j', (change) => {
    refused(withHeader(bytes, change)).toThrow(/^stored clusters: /);
  });

  test('of other vectors or settings', () => {
    refused(withHeader(bytes, { identity: 'another' })).toThrow(
      'stored clusters: belong to other vectors or settings; build them again',
    );
    expect(decodeClusters(withHeader(bytes, { dissolved: 0 }), 'who').dissolved).toBe(0);
  });

  test.each([
    ['a row that is none', (view: DataView, rows: number) => view.setInt32(rows, 6, true)],
    ['a row below nothing', (view: DataView, rows: number) => view.setInt32(rows, -1, true)],
    ['a row twice', (view: DataView, rows: number) => view.setInt32(rows, 4, true)],
    ['lists that go back', (view: DataView, rows: number) => view.setInt32(rows + 28, 4, true)],
    [
      'a first list that starts late',
      (view: DataView, rows: number) => view.setInt32(rows + 24, 1, true),
    ],
    [
      'a last list that ends early',
      (view: DataView, rows: number) => view.setInt32(rows + 36, 5, true),
    ],
    [
      'a last list that ends late',
      (view: DataView, rows: number) => view.setInt32(rows + 36, 7, true),
    ],
  ])('with %s', (_, damage) => {
    const damaged = bytes.slice();
    const { at, view } = taken(damaged);
    damage(view, at + 5204);
    refused(damaged).toThrow('stored clusters: damaged lists');
  });
});

describe('names', () => {
  const table = { values: Float32Array.of(1, 2, 3, 4), dimensions: 2 };
  test('of an index are of its vectors and settings, in any order of these', async () => {
    const name = await clusterIdentity(table, { clusters: 4, seed: 1 });
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(await clusterIdentity(table, { seed: 1, clusters: 4 })).toBe(name);
    expect(await clusterIdentity({ ...table, dimensions: 1 }, { clusters: 4, seed: 1 })).not.toBe(
      name,
    );
    expect(await clusterIdentity(table, { clusters: 4, seed: 2 })).not.toBe(name);
    // A part of a larger buffer is just that part.
    const larger = Float32Array.of(9, 1, 2, 3, 4, 9).subarray(1, 5);
    expect(await clusterIdentity({ values: larger, dimensions: 2 }, { clusters: 4, seed: 1 })).toBe(
      name,
    );
  });

  test('of an index stay the same, for indexes are stored under them', async () => {
    // sha256("1\n2\n[]\n" + sha256 of the four floats in little endian), by another tool.
    expect(await clusterIdentity(table, {})).toBe(
      '72a4a439dbd6d52a004bda0212624463866c4d21b89c9cc8539a7f6acb4a23ff',
    );
  });

  test('of what is learned are of the index and of the sampling, in any order', async () => {
    const name = await learnedIdentity('index', SAMPLING_DEFAULTS);
    const turned = Object.fromEntries(Object.entries(SAMPLING_DEFAULTS).toReversed());
    expect(await learnedIdentity('index', { ...SAMPLING_DEFAULTS, ...turned })).toBe(name);
    expect(await learnedIdentity('index', turned as typeof SAMPLING_DEFAULTS)).toBe(name);
    expect(await learnedIdentity('other', SAMPLING_DEFAULTS)).not.toBe(name);
    expect(await learnedIdentity('index', { ...SAMPLING_DEFAULTS, candidates: 9 })).not.toBe(name);
  });

  test('what was learned is numbers that could have been learned', () => {
    const learned = { queries: 0, weights: [1, 0.25], hits: [0, 3] };
    expect(learnedSchema.parse(learned)).toEqual(learned);
    for (const wrong of [
      { queries: -1 },
      { weights: [0] },
      { weights: [1.01] },
      { hits: [-1] },
      { hits: [0.5] },
      { more: 1 },
    ])
      expect(learnedSchema.safeParse({ ...learned, ...wrong }).success).toBe(false);
  });
});
