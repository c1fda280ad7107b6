import { describe, expect, it } from 'vitest';
import type { VectorTable } from '../../../src/retrieval/dense.ts';
import { buildClusters } from '../../../src/retrieval/cluster/build.ts';
import { ClusterHost, type ClusterCorpus } from '../../../src/runs/conductor/cluster-host.ts';
import { passage } from '../../retrieval/passages.ts';

/** Unit vectors in the plane, in `groups` bunches; text i lies at the place that its number says. */
function corpusOf(size: number, groups: number): ClusterCorpus {
  const values = new Float32Array(size * 2);
  const angle = (i: number): number => (i % groups) * (2 / groups) * Math.PI + 0.0001 * i;
  for (let i = 0; i < size; i++) values.set([Math.cos(angle(i)), Math.sin(angle(i))], 2 * i);
  const vectors: VectorTable = { dimensions: 2, values };
  const at = (i: number): Float32Array => values.slice(2 * i, 2 * i + 2);
  return {
    passages: Array.from({ length: size }, (_, i) => passage(`p${i}`, `title ${i}`, `text ${i}`)),
    vectors,
    encoder: { id: 'plane', dimensions: 2, encodeQuery: async (text) => at(Number(text)) },
  };
}

describe('the clusters of a corpus', () => {
  const open = (corpus = corpusOf(900, 3)) => new ClusterHost(() => Promise.resolve(corpus));

  it('hold every passage once and name those nearest to their centres', async () => {
    const overview = await open().overview();
    expect(overview.clusters.reduce((sum, { size }) => sum + size, 0)).toBe(900);
    expect(overview.choice?.scores.map(({ clusters }) => clusters)).toContain(
      overview.clusters.length + overview.dissolved,
    );
    for (const { titles, cohesion } of overview.clusters) {
      expect(cohesion).toBeGreaterThan(0.9);
      // Titles of one cluster are from one bunch.
      expect(new Set(titles.map((title) => Number(title.slice(6)) % 3)).size).toBe(1);
    }
  });

  it('give a query its nearest passages with their ranks in the exact scan, and learn from it', async () => {
    const host = open();
    const answer = await host.search('31', 5);
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
    const { clusters, queries } = await host.overview();
    expect(queries).toBe(1);
    const home = clusters[answer.hits[0]!.cluster]!;
    expect(home.hits).toBeGreaterThan(0);
    expect(home.weight).toBe(1);
    const others = clusters.filter(({ hits }) => hits === 0);
    expect(others.every(({ weight }) => weight === 0.9)).toBe(true);
    expect(await host.forget()).toMatchObject({ queries: 0 });
    expect(
      (await host.overview()).clusters.every(({ weight, hits }) => weight === 1 && hits === 0),
    ).toBe(true);
  });

  it('can be stopped while they are built, and are built when they are asked for again', async () => {
    const host = open(corpusOf(30_000, 7));
    const building = host.overview();
    const stopped = expect(building).rejects.toThrow('was stopped');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await host.progress()).not.toBeNull();
    await host.stop();
    await stopped;
    expect(await host.progress()).toBeNull();
    expect((await open().overview()).clusters.length).toBeGreaterThan(0);
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
