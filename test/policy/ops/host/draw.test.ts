import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/base/random.ts';
import { uniform } from '../../../../src/policy/ops/numeric.ts';
import { draw, drawNumber } from '../../../../src/policy/ops/draw.ts';
import type { Sampling } from '../../../../src/policy/policy.ts';

/** What the docstring says, word by word: a ranking of all ids, cut twice, then drawn in order of ids. */
function slowly(logits: Float32Array, s: Sampling, u: number) {
  const ids = [...logits.keys()];
  const softmax = (temperature: number, of: readonly number[]): Map<number, number> => {
    const max = Math.max(...logits);
    const weights = of.map((id) => Math.exp(((logits[id] ?? 0) - max) / temperature));
    const total = weights.reduce((a, b) => a + b, 0);
    return new Map(of.map((id, i) => [id, (weights[i] ?? 0) / total]));
  };
  const entropy = (p: Map<number, number>): number =>
    [...p.values()].reduce((sum, v) => sum - (v > 0 ? v * Math.log(v) : 0), 0);
  const model = softmax(1, ids);
  const ranked = [...ids].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b);
  let kept = ranked;
  if (s.temperature > 0 && s.topK > 0) kept = kept.slice(0, s.topK);
  if (s.temperature > 0 && s.topP < 1) {
    const p = softmax(s.temperature, kept);
    let share = 0;
    kept = kept.filter((id) => {
      const before = share;
      share += p.get(id) ?? 0;
      return before < s.topP;
    });
  }
  const drawnFrom = s.temperature > 0 ? softmax(s.temperature, kept) : model;
  let id = ranked[0] ?? 0;
  if (s.temperature > 0) {
    let share = 0;
    for (const next of kept.sort((a, b) => a - b)) {
      share += drawnFrom.get(next) ?? 0;
      id = next;
      if (share > u) break;
    }
  }
  return {
    id,
    logprob: Math.log(drawnFrom.get(id) ?? 0),
    modelLogprob: Math.log(model.get(id) ?? 0),
    entropy: entropy(drawnFrom),
    modelEntropy: entropy(model),
  };
}

const plain: Sampling = { temperature: 1, topK: 0, topP: 1 };

describe('draw', () => {
  it('draws what a ranking of all ids would, with its probabilities', () => {
    const random = new Random(1);
    for (let n = 0; n < 3000; n++) {
      const logits = new Float32Array(random.pick([1, 2, 7, 100, 501]));
      random.fillNormal(logits, random.pick([0.01, 1, 4, 30]));
      // Many equal logits in some rows, far ones in others.
      if (random.chance(0.3)) logits.forEach((v, i) => (logits[i] = Math.round(v)));
      if (random.chance(0.1)) logits.forEach((v, i) => (logits[i] = i % 3 === 0 ? v : v - 1000));
      const sampling = {
        temperature: random.pick([0, 0.3, 1, 1, 2]),
        topK: random.pick([0, 0, 1, 3, 40, 1000]),
        topP: random.pick([1, 1, 0.999, 0.9, 0.31, 1e-9]),
      };
      const u = drawNumber(random.below(2 ** 32), n);
      const { finite, ...drawn } = draw(logits, sampling, u);
      const expected = slowly(logits, sampling, u);
      expect(finite).toBe(true);
      expect(drawn.id, JSON.stringify({ n, sampling, u })).toBe(expected.id);
      for (const key of ['logprob', 'modelLogprob', 'entropy', 'modelEntropy'] as const)
        if (Number.isFinite(expected[key])) expect(drawn[key]).toBeCloseTo(expected[key], 6);
    }
  });

  it('takes equal logits by id', () => {
    const logits = Float32Array.of(1, 2, 2, 2, 0);
    const top = (topK: number, u: number): number => draw(logits, { ...plain, topK }, u).id;
    expect([0, 0.49, 0.51, 0.99].map((u) => top(2, u))).toEqual([1, 1, 2, 2]);
    expect(draw(logits, { ...plain, temperature: 0 }, 0.9).id).toBe(1);
    // Each of the three has 1 / (3 + 1/e + 1/e²) = 0.2855 of the whole.
    expect(draw(logits, { ...plain, topP: 0.28 }, 0.99).id).toBe(1);
    expect(draw(logits, { ...plain, topP: 0.29 }, 0.99).id).toBe(2);
  });

  it('at the smallest of temperatures is the most likely id, for certain', () => {
    const logits = Float32Array.of(1, 30, -30, 2);
    for (const cut of [{}, { topK: 2 }, { topP: 0.5 }]) {
      const drawn = draw(logits, { ...plain, ...cut, temperature: Number.MIN_VALUE }, 0.999);
      expect(drawn).toMatchObject({ id: 1, entropy: 0 });
      expect(drawn.logprob).toBeCloseTo(0, 12);
    }
  });

  it('has frequencies of the distribution', () => {
    const logits = Float32Array.of(Math.log(1), Math.log(2), Math.log(3), Math.log(4));
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 40_000; n++) {
      const { id } = draw(logits, plain, drawNumber(7, n));
      counts[id] = (counts[id] ?? 0) + 1;
    }
    // Four standard deviations of a share are below 0.01.
    counts.forEach((count, id) => expect(count / 40_000).toBeCloseTo((id + 1) / 10, 1.7));
  });

  it('says when a logit is no number', () => {
    for (const bad of [NaN, Infinity, -Infinity])
      expect(draw(Float32Array.of(0, bad, 1), plain, 0.5).finite).toBe(false);
  });

  it('has 24 bits of randomness, the first of the 53', () => {
    for (let n = 0; n < 100; n++) {
      const u = drawNumber(0xdeadbeef, n);
      expect(Math.fround(u)).toBe(u);
      expect(uniform(0xdeadbeef, n) - u).toBeGreaterThanOrEqual(0);
      expect(uniform(0xdeadbeef, n) - u).toBeLessThan(2 ** -24);
    }
  });
});
