import { describe, expect, it } from 'vitest';
import {
  ropeFrequencies,
  ropeTables,
  type RopeScaling,
} from '../../../src/policy/checkpoint/rope.ts';

const close = (values: Iterable<number>, wanted: readonly number[], digits = 9): void => {
  const list = [...values];
  expect(list).toHaveLength(wanted.length);
  list.forEach((value, i) => expect(value).toBeCloseTo(wanted[i] ?? Number.NaN, digits));
};

/** Of 8 dimensions and θ = 10,000 the plain frequencies are 1, 0.1, 0.01 and 0.001. */
const frequencies = (scaling: RopeScaling): Float64Array => ropeFrequencies(8, 10_000, scaling);

describe('rotary frequencies, by hand', () => {
  it('are θ^(−2i/d)', () => {
    close(frequencies({ type: 'default' }), [1, 0.1, 0.01, 0.001], 12);
  });

  it('of position interpolation are all divided', () => {
    close(frequencies({ type: 'linear', factor: 4 }), [0.25, 0.025, 0.0025, 0.00025], 12);
  });

  it('of Llama 3.1 are kept where short, divided where long, and between them on a ramp', () => {
    const llama3: RopeScaling = {
      type: 'llama3',
      factor: 8,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 1000,
    };
    // Wavelengths 6.28, 62.8, 628.3 and 6,283: kept below 1000 / 4, divided above 1000 / 1. Of the third
    // the share kept is (1000 / 628.32 − 1) / (4 − 1) = 0.197183.
    const third = 0.01 * (0.197183 + (1 - 0.197183) / 8);
    close(frequencies(llama3), [1, 0.1, third, 0.001 / 8], 7);
  });

  it('of Llama 3.1 are divided from a wavelength of positions / low factor on', () => {
    // Above 1000 / 2 the third of 628.3 is divided as well; of 62.8, below 1000 / 8, nothing is.
    const wanted = [1, 0.1, 0.01 / 8, 0.001 / 8];
    const factors = { lowFrequencyFactor: 2, highFrequencyFactor: 8, originalPositions: 1000 };
    close(frequencies({ type: 'llama3', factor: 8, ...factors }), wanted, 12);
    // Between 1000 / 20 and 1000 / 2 the share kept of the second is (1000 / 62.832 − 2) / 18 = 0.773083.
    const ramp = 0.1 * (0.773083 + (1 - 0.773083) / 8);
    const wide = { ...factors, highFrequencyFactor: 20 };
    close(frequencies({ type: 'llama3', factor: 8, ...wide }), [1, ramp, 0.01 / 8, 0.001 / 8], 7);
  });

  const yarn: Extract<RopeScaling, { type: 'yarn' }> = {
    type: 'yarn',
    factor: 4,
    attentionFactor: 1.5,
    betaFast: 32,
    betaSlow: 1,
    truncate: true,
    originalPositions: 1000,
  };

  it('of YaRN go from kept to divided between the dimensions of 32 and of 1 rotations', () => {
    // 8 ln(1000 / 2π·32) / 2 ln 10,000 = 0.697 and 8 ln(1000 / 2π) / 2 ln 10,000 = 2.202: 0 to 3 when
    // truncated, so that shares 0, 1/3, 2/3 and 1 are divided by 4.
    close(frequencies(yarn), [1, 0.075, 0.005, 0.00025]);
  });

  it('of YaRN without truncation begin and end between dimensions', () => {
    const share = (i: number): number => (i - 0.696671) / (2.2018 - 0.696671);
    const scaled = (f: number, s: number): number => (f / 4) * s + f * (1 - s);
    close(
      frequencies({ ...yarn, truncate: false }),
      [1, scaled(0.1, share(1)), scaled(0.01, share(2)), 0.00025],
      6,
    );
  });

  it('of YaRN whose range is empty change at once', () => {
    const [first, second] = frequencies({ ...yarn, betaFast: 1000, betaSlow: 500 });
    // Both dimensions lie below 0.
    expect(first).toBe(1);
    expect(second).toBeCloseTo(0.025, 12);
  });
});

describe('tables of cosine and sine', () => {
  it('hold the angle of every position and pair of dimensions', () => {
    const { cos, sin } = ropeTables(3, 4, 100);
    // Frequencies 1 and 0.1; positions 0, 1, 2.
    const angles = [0, 0, 1, 0.1, 2, 0.2];
    close(cos, angles.map(Math.cos), 6);
    close(sin, angles.map(Math.sin), 6);
  });

  it('may begin later, with the same numbers', () => {
    const all = ropeTables(10, 8, 10_000);
    const rest = ropeTables(10, 8, 10_000, { type: 'default' }, 7);
    expect(rest.cos).toEqual(all.cos.slice(7 * 4));
    expect(rest.sin).toEqual(all.sin.slice(7 * 4));
  });

  it('of a scaled policy hold the scaled angles', () => {
    const { sin } = ropeTables(2, 4, 100, { type: 'linear', factor: 2 });
    close(sin, [0, 0, Math.sin(0.5), Math.sin(0.05)], 6);
  });

  it('of YaRN are multiplied by its attention factor', () => {
    const yarn: RopeScaling = {
      type: 'yarn',
      factor: 1,
      attentionFactor: 1.5,
      betaFast: 32,
      betaSlow: 1,
      truncate: true,
      originalPositions: 100,
    };
    const { cos, sin } = ropeTables(2, 4, 100, yarn);
    close(cos.slice(2), [1.5 * Math.cos(1), 1.5 * Math.cos(0.1)], 6);
    close(sin.slice(2), [1.5 * Math.sin(1), 1.5 * Math.sin(0.1)], 6);
  });
});
