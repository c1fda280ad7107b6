import { describe, expect, it } from 'vitest';
import type { LocalSpec } from '../../../../src/records/setup.ts';
import { buildClusters } from '../../../../src/retrieval/cluster/build.ts';
import type { VectorTable } from '../../../../src/retrieval/dense/dense.ts';
import { openLocalSource } from '../../../../src/retrieval/open-local.ts';
import { ClusterHost } from '../../../../src/lab/corpus/retrieval/cluster-host.ts';
import { passage } from '../../../retrieval/passages.ts';

/** Unit vectors in the plane, in `groups` bunches; text i lies at the place that its number says. */
function corpusOf(size: number, groups: number) {
  const values = new Float32Array(size * 2);
  const angle = (i: number): number => (i % groups) * (2 / groups) * Math.PI + 0.0001 * i;
  for (let i = 0; i < size; i++) values.set([Math.cos(angle(i)), Math.sin(angle(i))], 2 * i);
  const vectors: VectorTable = { dimensions: 2, values };
  const at = (i: number): Float32Array => values.slice(2 * i, 2 * i + 2);
  return {
    passages: Array.from({ length: size }, (_, i) => passage(`p${i}`, `title ${i}`, `text ${i}`)),
    vectors,
    encoder: {
      id: 'plane',
      dimensions: 2,
      encodeQuery: async (text: string) => at(Number(text)),
      encodePassages: async () => vectors,
    },
  };
}

/** A source as searches have it, and the host that looks into it. */
async function open(method: string, size = 900, groups = 3) {
  const { passages, vectors, encoder } = corpusOf(size, groups);
  const spec: LocalSpec = {
    kind: 'collections',
    ids: ['x'],
    method,
    encoder: 'plane',
    reranker: null,
  };
  const opened = await openLocalSource(passages, { method }, { encoder, vectors });
  let encodings = 0;
  const encoded = async () => {
    encodings++;
    return opened.vectors ?? { encoder, inMemory: false, read: async () => vectors };
  };
  const local = { ...opened, spec, passages, encoded };
  const stopped: Error[] = [];
  const host = new ClusterHost({
    local: async () => local,
    stop: (_, reason) => stopped.push(reason),
    indexCache: null,
  });
  const overview = async (encode = false) => {
    const shown = await host.overview(spec, encode);
    if (shown.kind !== 'clusters') throw new Error('there are no vectors');
    return shown;
  };
  return { spec, opened, host, overview, stopped, encodings: () => encodings };
}

describe('the clusters of a source that is searched in another way', () => {
  it('hold every passage once and name those nearest to their centres', async () => {
    const { overview, opened } = await open('flat');
    const shown = await overview();
    expect(opened.clusters).toBeNull();
    expect(shown).toMatchObject({ answers: false, kept: false, method: 'flat', passages: 900 });
    expect(shown.clusters.reduce((sum, { size }) => sum + size, 0)).toBe(900);
    expect(shown.choice?.scores.map(({ clusters }) => clusters)).toContain(
      shown.clusters.length + shown.dissolved,
    );
    for (const { titles, cohesion } of shown.clusters) {
      expect(cohesion).toBeGreaterThan(0.9);
      // Titles of one cluster are from one bunch.
      expect(new Set(titles.map((title) => Number(title.slice(6)) % 3)).size).toBe(1);
    }
  });

  it('give a query its nearest passages with their ranks in the exact scan, and learn from it', async () => {
    const { host, spec, overview } = await open('flat');
    const answer = await host.search(spec, '31', 5);
    expect(answer.hits).toHaveLength(5);
    expect(answer.hits.every(({ title }) => Number(title.slice(6)) % 3 === 1)).toBe(true);
    // What the exact scan has among its five is found or told as missed.
    const ranks = [
      ...answer.hits.map((h) => h.exactRank),
      ...answer.missed.map((m) => m.exactRank),
    ];
    for (const rank of [1, 2, 3, 4, 5]) expect(ranks).toContain(rank);
    const kept = answer.trace.clusters.reduce((sum, { results }) => sum + results, 0);
    expect(kept).toBe(5);
    const { queries, weights, hits } = (await overview()).learning;
    expect(queries).toBe(1);
    expect(hits.reduce((sum, n) => sum + n, 0)).toBe(5);
    weights.forEach((weight, c) => expect(weight).toBe(hits[c]! > 0 ? 1 : 0.9));
  });

  it('are not made where searches need no vectors, before that is asked for', async () => {
    const { host, spec, overview, encodings } = await open('lexical');
    expect(await host.overview(spec, false)).toEqual({
      kind: 'without-vectors',
      method: 'lexical',
      passages: 900,
      encoder: 'plane',
    });
    expect(encodings()).toBe(0);
    expect((await overview(true)).passages).toBe(900);
    // What was made is shown again without being asked for.
    expect((await overview()).answers).toBe(false);
    expect(encodings()).toBe(1);
  });

  it('can be stopped while they are built, and are built when they are asked for again', async () => {
    const { host, spec, overview, stopped } = await open('flat', 30_000, 7);
    const building = expect(overview()).rejects.toThrow(
      'was stopped; whole blocks of vectors that were made are kept',
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await host.progress()).not.toBeNull();
    await host.stop(spec);
    await building;
    expect(await host.progress()).toBeNull();
    // An opening of the source itself would have ended too.
    expect(stopped).toHaveLength(1);
    expect((await overview()).clusters.length).toBeGreaterThan(0);
  });
});

describe('the clusters that answer searches', () => {
  it('are those that are shown: queries, weights and results of searches are seen at once', async () => {
    const { host, spec, opened, overview } = await open('cluster');
    const before = await overview();
    expect(before).toMatchObject({ answers: true, method: 'cluster' });
    const asked = ['31', '32', '34', '31'];
    for (const text of asked) await opened.source.search(text, 5);
    const learning = await host.learning(spec, before.learning.changes);
    expect(learning?.queries).toBe(4);
    expect(learning?.recent.map(({ text }) => text)).toEqual(asked.toReversed());
    expect(learning?.recent.map(({ query }) => query)).toEqual([3, 2, 1, 0]);
    expect(learning?.hits.reduce((sum, n) => sum + n, 0)).toBe(20);
    for (const { results, sources } of learning!.recent)
      expect(sources.reduce((sum, one) => sum + one.results, 0)).toBe(results);
    const { weights } = opened.clusters!.index.learned;
    expect(learning?.weights).toEqual(weights);
    // Two bunches were asked for, the third never was.
    expect(Math.min(...weights)).toBeCloseTo(0.9 ** 4, 12);
    expect(await host.learning(spec, learning!.changes)).toBeNull();
  });

  it('are those that the page asks: its queries teach what answers the next search', async () => {
    const { host, spec, opened } = await open('cluster');
    const { trace } = await host.search(spec, '31', 5);
    expect(trace.query).toBe(0);
    await host.learn(spec, ['31', '34'], 5);
    await opened.source.search('31', 5);
    expect(opened.clusters!.recent[0]).toMatchObject({ query: 3, text: '31', results: 5 });
    const { weights } = opened.clusters!.index.learned;
    expect(Math.min(...weights)).toBeCloseTo(0.9 ** 4, 12);
  });

  it('forget, and remember again what they forgot', async () => {
    const { host, spec, opened } = await open('cluster');
    for (const text of ['31', '32']) await opened.source.search(text, 5);
    const { learned } = opened.clusters!.index;
    const forgotten = await host.forget(spec);
    expect(forgotten).toMatchObject({ queries: 0, recent: [], recallable: true });
    expect(forgotten.weights.every((weight) => weight === 1)).toBe(true);
    expect(forgotten.hits.every((hits) => hits === 0)).toBe(true);
    await opened.source.search('34', 5);
    const recalled = await host.recall(spec);
    expect(recalled).toMatchObject({ ...learned, recallable: false });
    expect(recalled.recent.map(({ text }) => text)).toEqual(['32', '31']);
    expect(opened.clusters!.index.learned).toEqual(learned);
  });
});

describe('clusters that are built in pieces', () => {
  it('are those that are built at once', async () => {
    const { vectors } = corpusOf(3000, 5);
    const options = { minimumDocuments: 20 };
    let turns = 0;
    const paced = await buildClusters(vectors, options, {
      pause: async () => {
        turns++;
        await Promise.resolve();
      },
    });
    const whole = await buildClusters(vectors, options);
    expect(turns).toBeGreaterThan(50);
    expect(paced.rows).toEqual(whole.rows);
    expect(paced.codes).toEqual(whole.codes);
    expect(paced.choice).toEqual(whole.choice);
  });
});
