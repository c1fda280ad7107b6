import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '../../../../src/policy/ops/draw.ts';
import type { Sampling } from '../../../../src/policy/policy.ts';

const full: Sampling = { temperature: 1, topK: 0, topP: 1 };
/** Probabilities 1/8, 1/2, 1/4, 1/8. */
const logits = Float32Array.from([1, 4, 2, 1], (weight) => Math.log(weight));

function sample(sampling: Sampling, u: number, row = logits) {
  return draw(row, sampling, u);
}

/** Shares of 1000 evenly spread uniform numbers that each id gets. */
function shares(sampling: Sampling): number[] {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 1000; i++) counts[sample(sampling, (i + 0.5) / 1000).id]!++;
  return counts.map((count) => count / 1000);
}

describe('which token', () => {
  test('temperature 1 draws by softmax', () => {
    expect(shares(full)).toEqual([0.125, 0.5, 0.25, 0.125]);
  });

  test.each([
    // Shares 1/8, 1/2, 1/4, 1/8: an id's interval holds its beginning, not its end.
    [0, 0],
    [0.12, 0],
    [0.13, 1],
    [0.62, 1],
    [0.63, 2],
    [0.87, 2],
    [0.88, 3],
    [0.9999999, 3],
  ])('u = %f draws id %i', (u, id) => {
    expect(sample(full, u).id).toBe(id);
    const even = new Float32Array(4);
    expect([0, 0.25, 0.5, 0.75].map((at) => sample(full, at, even).id)).toEqual([0, 1, 2, 3]);
  });

  test('of the shortlist, in the order of ids', () => {
    // Of ids 0 (of the two equals), 1 and 2: 1 of 7, 4 of 7, 2 of 7.
    const top = { ...full, topK: 3 };
    expect([0, 0.14, 0.15, 0.71, 0.72, 0.99].map((u) => sample(top, u).id)).toEqual([
      0, 0, 1, 1, 2, 2,
    ]);
    expect(sample({ ...full, topK: 9 }, 0.99).id).toBe(3);
    // Shares that reach p exactly are enough.
    const even = new Float32Array(4);
    expect(sample({ ...full, topP: 0.5 }, 0.99, even).id).toBe(1);
    expect(sample({ ...full, topP: 0.51 }, 0.99, even).id).toBe(2);
  });

  test('temperature 1/2 squares the odds: 1, 16, 4, 1 of 22', () => {
    const [a, b, c, d] = shares({ ...full, temperature: 0.5 });
    expect(a).toBeCloseTo(1 / 22, 2);
    expect(b).toBeCloseTo(16 / 22, 2);
    expect(c).toBeCloseTo(4 / 22, 2);
    expect(d).toBeCloseTo(1 / 22, 2);
  });

  test('temperature 0 takes the likeliest; of equals the lowest id', () => {
    expect(sample({ ...full, temperature: 0 }, 0.99).id).toBe(1);
    expect(sample({ ...full, temperature: 0 }, 0.99, Float32Array.of(0, 2, 2)).id).toBe(1);
  });

  test('top-k keeps the k likeliest in their odds, equals by id', () => {
    expect(shares({ ...full, topK: 2 })).toEqual([0, 0.667, 0.333, 0]);
    expect(shares({ ...full, topK: 3 })[3]).toBe(0);
    expect(shares({ ...full, topK: 3 })[0]).toBeCloseTo(1 / 7, 2);
  });

  test('top-k 1 is the likeliest alone', () => {
    expect(shares({ ...full, topK: 1 })).toEqual([0, 1, 0, 0]);
  });

  test('top-p keeps the smallest set that reaches p, and at least one', () => {
    expect(shares({ ...full, topP: 0.7 })).toEqual([0, 0.667, 0.333, 0]);
    expect(shares({ ...full, topP: 0.3 })).toEqual([0, 1, 0, 0]);
    expect(shares({ ...full, topP: 0.001 })).toEqual([0, 1, 0, 0]);
  });

  test('top-p counts within what top-k left', () => {
    // Of 4/6 and 2/6, the first alone reaches 0.6.
    expect(shares({ temperature: 1, topK: 2, topP: 0.6 })).toEqual([0, 1, 0, 0]);
  });
});

describe('what is recorded', () => {
  const entropyOf = (shares: readonly number[]): number =>
    shares.reduce((sum, p) => sum - p * Math.log(p), 0);
  const ofModel = { logprob: Math.log(0.5), entropy: entropyOf([0.125, 0.5, 0.25, 0.125]) };

  test.each([
    ['temperature 1', full, 0.5, [0.125, 0.5, 0.25, 0.125]],
    ['temperature 1/2, odds 1, 16, 4, 1', { ...full, temperature: 0.5 }, 16 / 22, [1, 16, 4, 1]],
    ['top-k 2', { ...full, topK: 2 }, 2 / 3, [4, 2]],
    ['top-p 0.7', { ...full, topP: 0.7 }, 2 / 3, [4, 2]],
    ['all three', { temperature: 0.5, topK: 3, topP: 0.9 }, 16 / 20, [16, 4]],
  ])('log-probability and entropy are of what is drawn from: %s', (_, sampling, p, odds) => {
    const token = sample(sampling, 0.3);
    const total = odds.reduce((sum, each) => sum + each, 0);
    expect(token.id).toBe(1);
    expect(token.logprob).toBeCloseTo(Math.log(p), 6);
    expect(token.entropy).toBeCloseTo(entropyOf(odds.map((each) => each / total)), 6);
  });

  test('a greedy token is drawn from nothing: its numbers are the model’s own', () => {
    const token = sample({ temperature: 0, topK: 2, topP: 0.5 }, 0.3);
    expect(token.logprob).toBeCloseTo(ofModel.logprob, 6);
    expect(token.entropy).toBeCloseTo(ofModel.entropy, 6);
  });

  test('the model’s own beside it, of the same token', () => {
    for (const sampling of [full, { temperature: 0.3, topK: 2, topP: 0.9 }]) {
      const token = sample(sampling, 0.3);
      expect(token.id).toBe(1);
      expect(token.modelLogprob).toBeCloseTo(ofModel.logprob, 6);
      expect(token.modelEntropy).toBeCloseTo(ofModel.entropy, 6);
    }
  });

  test('logits 2, 1, 0, −1 at T = 0.5: the mean of ∇ log π over what is drawn is 0', () => {
    const row = Float32Array.of(2, 1, 0, -1);
    const tempered = { ...full, temperature: 0.5 };
    const draws = 20_000;
    /** Mean over draws of ∂ log π / ∂ logit = (one-hot − π) / T, π as the sampler states it. */
    const meanGradient = (of: 'logprob' | 'modelLogprob', temperature: number): number[] => {
      const drawn = [0, 0, 0, 0];
      const stated = [0, 0, 0, 0];
      for (let i = 0; i < draws; i++) {
        const token = sample(tempered, (i + 0.5) / draws, row);
        drawn[token.id]! += 1 / draws;
        stated[token.id] = Math.exp(token[of]);
      }
      return drawn.map((share, id) => (share - stated[id]!) / temperature);
    };
    for (const value of meanGradient('logprob', 0.5)) expect(value).toBeCloseTo(0, 3);
    // What log-probabilities of temperature 1 would give.
    [0.221, -0.12, -0.071, -0.03].forEach((value, id) =>
      expect(meanGradient('modelLogprob', 1)[id]).toBeCloseTo(value, 3),
    );
  });

  test('any row: probabilities below 1, entropy between 0 and ln n, weightless ids never drawn', () => {
    const row = fc.array(
      fc.oneof(fc.float({ min: -80, max: 80, noNaN: true }), fc.constant(-1e9)),
      {
        minLength: 2,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(row, fc.double({ min: 0, max: 0.999999, noNaN: true }), (values, u) => {
        const array = Float32Array.from(values);
        const { id, logprob, entropy } = sample(full, u, array);
        const highest = Math.max(...array);
        expect(array[id]! - highest).toBeGreaterThan(-700);
        expect(logprob).toBeLessThanOrEqual(0);
        expect(entropy).toBeGreaterThanOrEqual(-1e-9);
        expect(entropy).toBeLessThanOrEqual(Math.log(values.length) + 1e-9);
      }),
    );
  });

  test('a row with any logit that is no finite number is told, whatever is drawn by', () => {
    const bad = fc.constantFrom(Number.NaN, Infinity, -Infinity);
    const row = fc.array(fc.float({ min: -80, max: 80, noNaN: true }), { maxLength: 20 });
    const samplings = fc.constantFrom(
      full,
      { ...full, temperature: 0 },
      { ...full, topK: 2 },
      { ...full, topP: 0.5 },
    );
    fc.assert(
      fc.property(row, bad, row, samplings, (before, value, after, sampling) => {
        const array = Float32Array.of(...before, value, ...after);
        expect(sample(sampling, 0.5, array).finite).toBe(false);
      }),
    );
  });
});
