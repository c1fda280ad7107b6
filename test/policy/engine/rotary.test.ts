import { describe, expect, it } from 'vitest';
import { Rotary } from '../../../src/policy/engine/rotary.ts';
import { DEVICE_MATRIX } from '../../../src/policy/engine/layout.ts';
import { LORA_TARGETS } from '../../../src/policy/lora/spec.ts';

const config = {
  vocabSize: 8,
  hiddenSize: 8,
  layers: 1,
  heads: 2,
  kvHeads: 1,
  headDim: 4,
  intermediateSize: 8,
  rmsNormEps: 1e-6,
  ropeTheta: 100,
  tieWordEmbeddings: true,
  maxPositions: 4096,
};

/** Of 4 dimensions and θ = 100 the two frequencies are 1 and 0.1. */
const angles = (position: number): [number, number] => [position, position / 10];

const close = (got: Float32Array, wanted: readonly number[]): void => {
  expect(got).toHaveLength(wanted.length);
  got.forEach((value, i) => expect(value).toBeCloseTo(wanted[i] ?? Number.NaN, 6));
};

describe('rotary factors', () => {
  // Positions are computed by the thousand: both sides of the seams.
  it.each([0, 1, 2, 1023, 1024, 1025, 2047, 2048])('of position %i', (position) => {
    const { cos, sin } = new Rotary(config).at(position);
    const [a, b] = angles(position);
    close(cos, [Math.cos(a), Math.cos(b), Math.cos(a), Math.cos(b)]);
    // The sine is negative in the first half: x cos + swapHalves(x) sin turns each pair.
    close(sin, [-Math.sin(a), -Math.sin(b), Math.sin(a), Math.sin(b)]);
  });

  it('turn a pair of dimensions by its angle', () => {
    const { cos, sin } = new Rotary(config).at(3);
    const x = [1, 0, 0, 0];
    const swapped = [x[2], x[3], x[0], x[1]];
    const turned = x.map((value, i) => value * (cos[i] ?? 0) + (swapped[i] ?? 0) * (sin[i] ?? 0));
    close(Float32Array.from(turned), [Math.cos(3), 0, Math.sin(3), 0]);
  });

  it('are the same in the table of the first positions, and when asked for again', () => {
    const rotary = new Rotary(config);
    const { cos, sin } = rotary.first(3);
    expect(cos).toHaveLength(12);
    for (const position of [2, 0, 1]) {
      const at = rotary.at(position);
      expect(at.cos).toEqual(cos.slice(4 * position, 4 * position + 4));
      expect(at.sin).toEqual(sin.slice(4 * position, 4 * position + 4));
      expect(rotary.at(position)).toEqual(at);
    }
  });

  it('follow the scaling of the checkpoint', () => {
    const variant = {
      family: 'llama' as const,
      qkNorm: false,
      qkvBias: false,
      oBias: false,
      mlpBias: false,
      unturnedLayers: [],
      rope: { type: 'linear' as const, factor: 2 },
    };
    const { cos } = new Rotary({ ...config, variant }).at(6);
    close(cos, [Math.cos(3), Math.cos(0.3), Math.cos(3), Math.cos(0.3)]);
  });
});

describe('arrays of a layer on the device', () => {
  it('stack q, k and v, and gate and up', () => {
    expect(LORA_TARGETS.map((target) => DEVICE_MATRIX[target])).toEqual([
      'qkv',
      'qkv',
      'qkv',
      'o',
      'gateUp',
      'gateUp',
      'down',
    ]);
  });
});
