import { describe, expect, it } from 'vitest';
import { faissIndex } from '../../../src/handover/faiss/index-ivf-pq.ts';
import { ClusterIndex } from '../../../src/retrieval/cluster/cluster-index.ts';
import { ProductQuantizer } from '../../../src/retrieval/cluster/partition/product-quantizer.ts';
import { CLUSTERS, exactParts, VECTORS } from '../../retrieval/cluster/parts.ts';
import { readFaiss, scan } from './faiss-file.ts';

const joined = (pieces: Iterable<Uint8Array>): Uint8Array =>
  Buffer.concat([...pieces].map((piece) => Buffer.from(piece)));

const fileOf = (...args: Parameters<typeof faissIndex>) => readFaiss(joined(faissIndex(...args)));

describe('an index for FAISS', () => {
  it('has the bytes of the smallest one, worked by hand', () => {
    // One dimension, one cluster at 1, one vector whose code 3 stands for 0.5.
    const codebook = new Float32Array(256);
    codebook[3] = 0.5;
    const bytes = joined(
      faissIndex(
        {
          dimensions: 1,
          centroids: { values: Float32Array.of(1), dimensions: 1 },
          rows: Int32Array.of(0),
          offsets: Int32Array.of(0, 1),
          dissolved: 0,
          quantizer: new ProductQuantizer(1, 1, codebook),
          codes: Uint8Array.of(3),
          refinement: null,
          choice: null,
        },
        1,
      ),
    );
    const long = (n: number): string =>
      Buffer.from(BigInt64Array.of(BigInt(n)).buffer).toString('hex');
    // d, ntotal, twice 2^20, trained, metric inner product.
    const header = `01000000${long(1)}${long(2 ** 20)}${long(2 ** 20)}0100000000`;
    const ascii = (text: string): string => Buffer.from(text).toString('hex');
    expect(Buffer.from(bytes).toString('hex')).toBe(
      ascii('IwPQ') +
        header +
        long(1) + // nlist
        long(1) + // nprobe
        ascii('IxFI') +
        header +
        long(1) +
        '0000803f' + // the centroid, 1.0
        `00${long(0)}` + // no direct map
        '01' + // by residual
        long(1) + // bytes a code
        long(1) + // d
        long(1) + // M
        long(8) + // bits
        long(256) +
        `${'00000000'.repeat(3)}0000003f${'00000000'.repeat(252)}` +
        ascii('ilar') +
        long(1) +
        long(1) +
        ascii('full') +
        long(1) +
        long(1) + // one row in the list
        '03' +
        long(0),
    );
  });

  it('holds every row once, in its cluster, under its own number', () => {
    const file = fileOf(exactParts(CLUSTERS), 2);
    expect(file).toMatchObject({ dimensions: 5, rows: 6, metric: 0, probes: 2, byResidual: true });
    expect(file.lists.map(({ ids }) => ids)).toEqual([[1, 4], [0], [2, 3, 5]]);
    expect(file.centroids).toEqual(CLUSTERS.map(({ centroid }) => centroid));
  });

  it('scores a query as the vectors themselves do where codes lose nothing', () => {
    const file = fileOf(exactParts(CLUSTERS), 3);
    for (const query of [
      [1, 0, 0, 0, 0],
      [0.5, -2, 1, 0.25, 3],
    ]) {
      const found = scan(file, query);
      for (const { id, score } of found)
        expect(score).toBe(query.reduce((sum, x, i) => sum + x * (VECTORS[id]?.[i] ?? NaN), 0));
      expect(found).toHaveLength(6);
    }
  });

  it('gives the order and the scores of the trained index itself', async () => {
    const [n, d] = [900, 12];
    let state = 5;
    const random = (): number =>
      (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
    const values = Float32Array.from({ length: n * d }, random);
    const index = await ClusterIndex.build(
      { values, dimensions: d },
      {
        clusters: 7,
        minimumDocuments: 2,
        refineBits: 0,
        subspaces: 3,
        sampling: { candidates: n, considered: 7 },
      },
    );
    const file = fileOf(index.parts, 7);
    expect(file.subspaces).toBe(3);
    for (const row of [0, 17, 450, 899]) {
      const query = values.slice(row * d, (row + 1) * d);
      const own = index.trace(query, 50, { learn: false }).neighbours;
      const there = scan(file, [...query]);
      for (const [i, { index: id, similarity }] of own.entries()) {
        const other = there.find((one) => one.id === id);
        expect(Math.abs((other?.score ?? NaN) - similarity)).toBeLessThanOrEqual(1e-6);
        // Where scores agree to 1e-6 the order may not.
        expect(Math.abs((there[i]?.score ?? NaN) - similarity)).toBeLessThanOrEqual(1e-6);
      }
    }
  });

  it('leaves empty lists empty and never probes more lists than there are', () => {
    const file = fileOf(exactParts([...CLUSTERS, { centroid: [0, 0, 0, 0, 1], members: [] }]), 99);
    expect(file.lists.at(-1)).toEqual({ ids: [], codes: [] });
    expect(file.probes).toBe(4);
  });

  it('refuses an index whose second stage FAISS cannot hold', () => {
    expect(() => [...faissIndex(exactParts(CLUSTERS, 8), 1)]).toThrow(
      'the index refines its codes by 8 bits per dimension, which FAISS does not support; build it with refineBits 0',
    );
  });
});
