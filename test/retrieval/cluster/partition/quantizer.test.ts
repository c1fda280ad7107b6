import { describe, expect, it } from 'vitest';
import { defaultSubspaces } from '../../../../src/retrieval/cluster/build.ts';
import { fastestNearest } from '../../../../src/retrieval/cluster/kernels/kernels.ts';
import { squaredDistance } from '../../../../src/retrieval/cluster/partition/kmeans.ts';
import { dot } from '../../../../src/retrieval/cluster/partition/nearest.ts';
import { ProductQuantizer } from '../../../../src/retrieval/cluster/partition/product-quantizer.ts';
import { randomNumbers } from '../../../../src/base/random.ts';
import { Refinement } from '../../../../src/retrieval/cluster/partition/refinement.ts';
import { clustered } from '../../vectors.ts';

const D = 16;
const nearest = await fastestNearest();
const data = clustered(20, 50, D);
const n = data.values.length / D;
const train = (subspaces: number) =>
  ProductQuantizer.train(data, subspaces, { iterations: 4, random: randomNumbers(1), nearest });

const meanError = (decode: (row: number, out: Float32Array) => void): number => {
  let sum = 0;
  for (let row = 0; row < n; row++) {
    const out = new Float32Array(D);
    decode(row, out);
    sum += squaredDistance(out, 0, data.values, row * D, D);
  }
  return sum / n;
};

describe('product quantizer', () => {
  it('stores one byte a subspace and loses less with more of them', () => {
    const errors = [1, 2, 4, 8, 16].map((subspaces) => {
      const quantizer = train(subspaces);
      const codes = quantizer.encode(data);
      expect(codes).toHaveLength(n * subspaces);
      return meanError((row, out) => quantizer.decodeInto(codes, row * subspaces, out));
    });
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]!);
    expect(errors.at(-1)).toBeLessThan(1e-4);
  });

  it('sums its table to the inner product with the decoded vector', () => {
    const quantizer = train(4);
    const codes = quantizer.encode(data);
    const query = data.draw();
    const table = new Float32Array(4 * 256);
    quantizer.table(query, table);
    for (let row = 0; row < 50; row++) {
      const out = new Float32Array(D);
      quantizer.decodeInto(codes, row * 4, out);
      let sum = 0;
      for (let m = 0; m < 4; m++) sum += table[m * 256 + codes[row * 4 + m]!]!;
      expect(sum).toBeCloseTo(dot(query, 0, out, 0, D), 5);
    }
  });

  it('gives each part its nearest centroid', () => {
    const quantizer = train(2);
    const codes = quantizer.encode(data);
    for (let row = 0; row < 20; row++) {
      for (let m = 0; m < 2; m++) {
        const distance = (c: number): number =>
          squaredDistance(data.values, row * D + m * 8, quantizer.centroids, (m * 256 + c) * 8, 8);
        const least = Math.min(...Array.from({ length: 256 }, (_, c) => distance(c)));
        expect(distance(codes[row * 2 + m]!)).toBeCloseTo(least, 5);
      }
    }
  });

  it('must divide the dimensions', () => {
    expect(() => new ProductQuantizer(16, 3, new Float32Array(0))).toThrow(RangeError);
    expect([128, 384, 768, 6, 7].map(defaultSubspaces)).toEqual([32, 96, 192, 1, 1]);
  });
});

describe('refinement', () => {
  it.each([
    [4, 5],
    [8, 5],
    [4, 16],
    [8, 16],
  ] as const)('keeps %i bits a dimension of %i within half a step', (bits, d) => {
    const refinement = new Refinement(bits, d, 3);
    const random = randomNumbers(bits);
    const errors = Float32Array.from({ length: 3 * d }, () => random() - 0.5);
    errors.fill(0, d, 2 * d);
    const query = Float32Array.from({ length: d }, () => random() - 0.5);
    for (let place = 0; place < 3; place++) {
      const own = errors.subarray(place * d, (place + 1) * d);
      refinement.set(place, errors, place * d);
      const step = Math.max(...own.map(Math.abs)) / (bits === 8 ? 127 : 7);
      const out = new Float32Array(d);
      refinement.decodeInto(place, out);
      for (let i = 0; i < d; i++)
        expect(Math.abs(out[i]! - own[i]!)).toBeLessThanOrEqual(step / 2 + 1e-6);
      expect(refinement.dot(query, place)).toBeCloseTo(dot(query, 0, out, 0, d), 6);
    }
    expect(refinement.bytes).toBe(3 * (bits === 8 ? d : Math.ceil(d / 2)) + 12);
  });
});
