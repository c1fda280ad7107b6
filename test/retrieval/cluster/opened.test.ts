import { describe, expect, test } from 'vitest';
import type { LearnedSampling } from '../../../src/retrieval/cluster/cluster-index.ts';
import { openClusters } from '../../../src/retrieval/methods/open-clusters.ts';
import { cluster } from '../../../src/retrieval/methods/cluster.ts';
import type { LocalParts } from '../../../src/retrieval/methods/method.ts';

/** Vectors around two places, twenty of each. */
const vectors = {
  dimensions: 2,
  values: Float32Array.from({ length: 80 }, (_, i) =>
    Math.floor(i / 2) % 2 === i % 2 ? 1 : (Math.floor(i / 4) % 5) / 100,
  ),
};
const clusters = { clusters: 2, minimumDocuments: 1 };

/** Stores in memory, which say what they are asked. */
function stores() {
  const files = new Map<string, Uint8Array>();
  const learned = new Map<string, LearnedSampling>();
  const asked: string[] = [];
  const parts: LocalParts = {
    clusters,
    indexCache: {
      read: async (name) => (asked.push('read'), files.get(name) ?? null),
      write: async (name, bytes) => (asked.push('write'), void files.set(name, bytes)),
    },
    learnedCache: {
      read: async (name) => learned.get(name) ?? null,
      keep: (name, now) => void learned.set(name, now()),
    },
  };
  return { files, learned, asked, parts };
}
const query = Float32Array.of(1, 0.1);

describe('clusters of passages', () => {
  test('are built and written once, and then read', async () => {
    const { asked, parts, files } = stores();
    const built = await openClusters(vectors, parts, {});
    expect([built.stored, built.kept]).toEqual([false, true]);
    expect(built.openedMs).toBeGreaterThan(0);
    expect(asked).toEqual(['read', 'write']);
    const read = await openClusters(vectors, parts, {});
    expect(read.stored).toBe(true);
    expect(asked).toEqual(['read', 'write', 'read']);
    expect(read.index.parts).toEqual(built.index.parts);
    // What cannot be read is built again, and written again.
    const [name = ''] = files.keys();
    files.set(name, Uint8Array.of(1, 2, 3));
    expect((await openClusters(vectors, parts, {})).stored).toBe(false);
    expect(files.get(name)?.length).toBeGreaterThan(100);
  });

  test('go on with what they learned, but not with that of other clusters', async () => {
    const { learned, parts } = stores();
    const first = await openClusters(vectors, parts, {});
    first.search('q', query, 3);
    const [name = ''] = learned.keys();
    expect(learned.get(name)).toEqual(first.index.learned);
    expect((await openClusters(vectors, parts, {})).index.learned.queries).toBe(1);
    learned.set(name, { queries: 9, weights: [1, 1, 1], hits: [0, 0, 0] });
    expect((await openClusters(vectors, parts, {})).index.learned.queries).toBe(0);
    const other = await openClusters(vectors, { ...parts, sampling: { candidates: 7 } }, {});
    expect([other.index.sampling.candidates, other.index.learned.queries]).toEqual([7, 0]);
  });

  test('that nobody keeps', async () => {
    const live = await openClusters(vectors, { clusters }, {});
    expect([live.kept, live.stored]).toEqual([false, false]);
    live.search('q', query, 2);
    expect(live.index.learned.queries).toBe(1);
    const { learnedCache } = stores().parts;
    const kept = await openClusters(vectors, { clusters, learnedCache: learnedCache ?? null }, {});
    expect([kept.kept, kept.stored]).toEqual([true, false]);
  });

  test('tell how far they are, and stop where told', async () => {
    const told: unknown[] = [];
    await openClusters(vectors, { clusters }, { onProgress: (...now) => told.push(now) });
    expect(new Set(told.map((now) => (now as unknown[])[0]))).toEqual(new Set(['clusters']));
    expect(told.at(-1)).toEqual(['clusters', 40, 40]);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(openClusters(vectors, { clusters }, { signal })).rejects.toThrow('left');
  });

  test('answer in place of their index, and say how many they are', async () => {
    const answers = await cluster.dense?.(vectors, { clusters }, {});
    expect(answers?.note).toBe('2 clusters');
    const found = answers?.search?.('q', query, 3) ?? [];
    expect(found).toHaveLength(3);
    expect(answers?.clusters?.recent.map(({ text }) => text)).toEqual(['q']);
    expect(answers?.index.bytes).toBeGreaterThan(0);
  });
});
