import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import {
  clusterIdentity,
  decodeClusters,
  encodeClusters,
} from '../../../src/retrieval/cluster/file.ts';
import {
  ClusterIndex,
  type LearnedSampling,
} from '../../../src/retrieval/cluster/cluster-index.ts';
import type { LearnedCache } from '../../../src/retrieval/cluster/learned.ts';
import { ExactIndex, type VectorTable } from '../../../src/retrieval/dense/dense.ts';
import { openLocalSource } from '../../../src/retrieval/open-local.ts';
import type { IndexCache } from '../../../src/retrieval/methods/method.ts';
import type { QueryEncoder, Reranker } from '../../../src/retrieval/sources.ts';
import { terms } from '../../../src/retrieval/lexical/text.ts';
import {
  encodeCached,
  type CacheableEncoder,
  type VectorCache,
} from '../../../src/retrieval/vector-cache.ts';
import { passage } from '../passages.ts';

/** Hashes terms into places: texts that share terms are near. Counts what it is asked. */
class HashEncoder implements QueryEncoder, CacheableEncoder {
  readonly id = 'hash';
  readonly dimensions = 64;
  encoded: string[] = [];

  async encodeQuery(text: string): Promise<Float32Array> {
    const vector = new Float32Array(this.dimensions);
    for (const term of terms(text)) {
      let hash = 7;
      for (const char of term) hash = (hash * 31 + char.charCodeAt(0)) % 8191;
      vector[hash % this.dimensions]! += 1;
    }
    const length = Math.hypot(...vector) || 1;
    return vector.map((value) => value / length);
  }

  async encodePassages(
    passages: readonly Passage[],
    onProgress?: (done: number, total: number) => void,
  ): Promise<VectorTable> {
    const values = new Float32Array(passages.length * this.dimensions);
    for (const [i, one] of passages.entries()) {
      this.encoded.push(one.id);
      values.set(await this.encodeQuery(`${one.title} ${one.text}`), i * this.dimensions);
      onProgress?.(i + 1, passages.length);
    }
    return { dimensions: this.dimensions, values };
  }
}

class MapCache implements VectorCache, IndexCache {
  readonly vectors = new Map<string, Float32Array>();
  readonly files = new Map<string, Uint8Array>();
  async read(encoder: string): Promise<Uint8Array | null>;
  async read(encoder: string, keys: readonly string[]): Promise<(Float32Array | undefined)[]>;
  async read(name: string, keys?: readonly string[]) {
    if (!keys) return this.files.get(name) ?? null;
    return keys.map((key) => this.vectors.get(`${name} ${key}`));
  }
  async write(name: string, keys: readonly string[] | Uint8Array, table?: VectorTable) {
    if (keys instanceof Uint8Array) this.files.set(name, keys);
    else
      keys.forEach((key, i) => {
        const d = table!.dimensions;
        this.vectors.set(`${name} ${key}`, table!.values.slice(i * d, (i + 1) * d));
      });
  }
}

const TOPICS = [
  'harbor film director',
  'river bridge mayor',
  'comet orbit tail',
  'violin bow string',
];
/** Passages of four topics, each with a word of its own. */
const corpus = Array.from({ length: 240 }, (_, i) =>
  passage(`p${i}`, `word${i}`, `${TOPICS[i % 4]} ${TOPICS[i % 4]} and number${i % 9}.`),
);
const clusters = { clusters: 4, minimumDocuments: 10 };

describe('a local source', () => {
  const open = (method: string) =>
    openLocalSource(corpus, { method }, { encoder: new HashEncoder(), clusters });

  it.each(['lexical', 'flat', 'cluster', 'hybrid'] as const)('finds by %s', async (method) => {
    const { source, memory, note } = await open(method);
    const { hits } = await source.search('word37 river bridge mayor', 5);
    expect(hits).toHaveLength(5);
    expect(hits[0]!.passage.id).toBe('p37');
    expect(hits.every(({ passage: { text } }) => text.startsWith('river'))).toBe(true);
    // Only lists that were asked have ranks.
    expect(hits[0]!.lexicalRank !== undefined).toBe(method === 'lexical' || method === 'hybrid');
    expect(hits[0]!.denseRank !== undefined).toBe(method !== 'lexical');
    expect(memory.dense > 0).toBe(method !== 'lexical');
    expect(memory.lexical > 0).toBe(method === 'lexical' || method === 'hybrid');
    expect(memory.passages).toBeGreaterThan(240 * 40);
    expect(note).not.toContain('null');
  });

  it('without an encoder is lexical or refuses', async () => {
    await openLocalSource(corpus, { method: 'lexical' });
    await expect(openLocalSource(corpus, { method: 'flat' })).rejects.toThrow(
      'Searching by "flat" needs an encoder',
    );
  });

  it('of clusters finds what the exact scan finds, and learns from the query', async () => {
    const [exact, cluster] = await Promise.all([open('flat'), open('cluster')]);
    const query = 'violin string number3';
    const ids = async ({ source }: typeof exact) =>
      (await source.search(query, 10)).hits.map(({ passage: { id } }) => id);
    expect(await ids(cluster)).toEqual(await ids(exact));
    expect(cluster.clusters?.index.parts.offsets).toHaveLength(5);
    expect(cluster.clusters?.index.learned.queries).toBe(1);
  });

  it('of clusters goes on with what it learned, for the same passages and settings only', async () => {
    const rows = new Map<string, LearnedSampling>();
    const learnedCache: LearnedCache = {
      read: async (name) => rows.get(name) ?? null,
      keep: (name, learned) => void rows.set(name, learned()),
    };
    const openAgain = (some = corpus, sampling = {}) =>
      openLocalSource(
        some,
        { method: 'cluster' },
        { encoder: new HashEncoder(), clusters, learnedCache, sampling },
      );
    const first = await openAgain();
    for (const query of ['comet tail', 'violin bow', 'comet orbit'])
      await first.source.search(query, 5);
    const { learned } = first.clusters!.index;
    expect(learned.queries).toBe(3);
    expect(first.clusters!.kept).toBe(true);
    expect((await openAgain()).clusters!.index.learned).toEqual(learned);
    expect((await openAgain(corpus.slice(1))).clusters!.index.learned.queries).toBe(0);
    expect((await openAgain(corpus, { smoothing: 0.8 })).clusters!.index.learned.queries).toBe(0);
    first.clusters!.forget();
    expect((await openAgain()).clusters!.index.learned.queries).toBe(0);
  });

  it('hands out its vectors: those that the index holds, else those of the cache', async () => {
    const expected = await new HashEncoder().encodePassages(corpus);
    for (const [method, inMemory] of [
      ['flat', true],
      ['hybrid', true],
      ['cluster', false],
    ] as const) {
      const encoder = new HashEncoder();
      const parts = { encoder, clusters, vectorCache: new MapCache() };
      const { vectors } = await openLocalSource(corpus, { method }, parts);
      expect(vectors?.inMemory).toBe(inMemory);
      expect(await vectors?.read()).toEqual(expected);
      // A hybrid encodes passages without one of their sentences as well, to learn its weights.
      const own = encoder.encoded.filter((id) => !id.endsWith('#rest'));
      expect(own).toEqual(corpus.map(({ id }) => id));
    }
    expect((await openLocalSource(corpus, { method: 'lexical' })).vectors).toBeNull();
  });

  it('tells every stage to its end and stops where it is told to', async () => {
    const seen = new Map<string, [number, number]>();
    const encoder = new HashEncoder();
    await openLocalSource(
      corpus,
      { method: 'cluster' },
      { encoder, clusters },
      {
        onProgress: (stage, done, total) => seen.set(stage, [done, total]),
      },
    );
    expect([...seen]).toEqual([
      ['encode', [240, 240]],
      ['clusters', [240, 240]],
    ]);
    for (const stage of ['lexical', 'encode'] as const) {
      const stop = new AbortController();
      const stopped = openLocalSource(
        corpus,
        { method: 'hybrid' },
        { encoder: new HashEncoder(), vectorCache: new MapCache() },
        {
          onProgress: (now) => now === stage && stop.abort(new Error('enough')),
          signal: stop.signal,
        },
      );
      await expect(stopped).rejects.toThrow('enough');
    }
  });

  it('is ordered again by a reranker, which is shown more than is asked for', async () => {
    const shown: number[] = [];
    const reranker: Reranker = {
      id: 'last',
      score: async (_, passages) => {
        shown.push(passages.length);
        return passages.map(({ id }) => (Number(id.slice(1)) % 3 === 0 ? Number(id.slice(1)) : -1));
      },
    };
    const parts = { encoder: new HashEncoder(), reranker };
    const { source, note } = await openLocalSource(corpus, { method: 'flat' }, parts);
    const { hits } = await source.search('comet orbit tail', 3);
    expect(shown).toEqual([50]);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(hits[0]!.score).toBeGreaterThan(0);
    expect(hits[0]!.denseRank).toBeGreaterThan(1);
    expect(note).toContain('reranked by last');
  });
});

describe('cached vectors', () => {
  it('are made once for a text and an encoder', async () => {
    const cache = new MapCache();
    const encoder = new HashEncoder();
    const twice = [...corpus.slice(0, 20), { ...corpus[3]!, id: 'copy' }];
    const first = await encodeCached(encoder, twice, cache);
    expect(encoder.encoded).toEqual(corpus.slice(0, 20).map(({ id }) => id));
    expect(first).toEqual(await new HashEncoder().encodePassages(twice));
    expect(await encodeCached(encoder, corpus.slice(0, 22), cache)).toEqual(
      await new HashEncoder().encodePassages(corpus.slice(0, 22)),
    );
    expect(encoder.encoded.slice(20)).toEqual(['p20', 'p21']);
    const other = Object.assign(new HashEncoder(), { revision: 'other' });
    await encodeCached(other, corpus.slice(0, 5), cache);
    expect(other.encoded).toHaveLength(5);
  });

  it('go on where they were stopped', async () => {
    const cache = new MapCache();
    const many = Array.from({ length: 1200 }, (_, i) => passage(`q${i}`, `t${i}`, 'text'));
    const stop = new AbortController();
    const encoder = new HashEncoder();
    const broken = Object.assign(new HashEncoder(), {
      encodePassages: async (passages: readonly Passage[]) => {
        if (passages[0]!.id === 'q512') throw new Error('killed');
        return encoder.encodePassages(passages);
      },
    });
    await expect(encodeCached(broken, many, cache, { signal: stop.signal })).rejects.toThrow(
      'killed',
    );
    await encodeCached(encoder, many, cache);
    // Nothing that was stored before the kill is encoded again.
    expect(new Set(encoder.encoded).size).toBe(1200);
    expect(encoder.encoded).toHaveLength(1200);
  });
});

describe('a file of clusters', () => {
  const encoder = new HashEncoder();
  const build = async (refineBits: 0 | 4 | 8) => {
    const vectors = await encoder.encodePassages(corpus);
    const index = await ClusterIndex.build(vectors, { ...clusters, clusters: 'auto', refineBits });
    const identity = await clusterIdentity(vectors, clusters);
    return { vectors, index, identity, bytes: encodeClusters(index.parts, identity) };
  };

  it.each([0, 4, 8] as const)('with %i bits of refinement gives the same answers', async (bits) => {
    const { index, identity, bytes } = await build(bits);
    const read = new ClusterIndex(decodeClusters(bytes, identity));
    const query = await encoder.encodeQuery('harbor film number3');
    expect(read.trace(query, 10)).toEqual(index.trace(query, 10));
    expect(read.parts.choice).toEqual(index.parts.choice);
  });

  it('is refused for other vectors, other settings, and damaged anywhere', async () => {
    const { vectors, identity, bytes } = await build(8);
    expect(await clusterIdentity(vectors, { ...clusters, seed: 8 })).not.toBe(identity);
    const moved = { dimensions: 64, values: vectors.values.map((v, i) => (i === 5 ? v + 1 : v)) };
    expect(await clusterIdentity(moved, clusters)).not.toBe(identity);
    expect(() => decodeClusters(bytes, 'x')).toThrow('belong to other vectors');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), (length) => {
        expect(() => decodeClusters(bytes.slice(0, length), identity)).toThrow('stored clusters');
      }),
      { numRuns: 60 },
    );
  });

  it('is built once and read afterwards; a damaged one is built again', async () => {
    const cache = new MapCache();
    const stages: string[] = [];
    const open = () =>
      openLocalSource(
        corpus,
        { method: 'cluster' },
        { encoder, clusters, indexCache: cache },
        { onProgress: (stage) => stages.push(stage) },
      );
    const first = await open();
    expect(stages).toContain('clusters');
    stages.length = 0;
    const second = await open();
    expect(stages).not.toContain('clusters');
    const found = async ({ source }: typeof first) => (await source.search('comet tail', 5)).hits;
    expect(await found(second)).toEqual(await found(first));
    const [name] = cache.files.keys();
    cache.files.set(name!, cache.files.get(name!)!.slice(0, 500));
    await open();
    expect(stages).toContain('clusters');
  });
});

describe('the exact scan', () => {
  it('gives what sorting all rows gives, ties by row, for any k', () => {
    const small = fc.integer({ min: -2, max: 2 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(small, small), { minLength: 1, maxLength: 700 }),
        fc.tuple(small, small),
        fc.nat(720),
        (rows, [x, y], k) => {
          const index = new ExactIndex({ dimensions: 2, values: Float32Array.from(rows.flat()) });
          const expected = rows
            .map(([a, b], row) => ({ index: row, similarity: x * a + y * b }))
            .sort((a, b) => b.similarity - a.similarity || a.index - b.index)
            .slice(0, k);
          const found = index.search(new Float32Array([x, y]), k);
          expect(found.map((one) => one.index)).toEqual(expected.map((one) => one.index));
        },
      ),
      { numRuns: 60 },
    );
  });
});
