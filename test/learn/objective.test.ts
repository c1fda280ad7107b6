import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  klTerm,
  sequenceWeights,
  surrogate,
  tokenObjective,
  type Objective,
} from '../../src/learn/objective.ts';
import { overlongPenalty } from '../../src/learn/rl/scoring.ts';
import { learningRateAt } from '../../src/learn/schedule.ts';

const dapo: Objective = {
  estimator: 'grpo',
  clip: { low: 0.2, high: 0.28 },
  dualClip: null,
  aggregation: 'token-mean',
  kl: { form: 'k3', place: 'off', coefficient: 0 },
};

describe('the clipped surrogate, by hand', () => {
  it.each([
    // ratio, advantage, value, slope in log π
    [1.1, 2, -2.2, -2.2, false],
    [1.5, 2, -2.56, 0, true],
    [0.5, 2, -1, -1, false],
    [1.5, -2, 3, 3, false],
    [0.5, -2, 1.6, 0, true],
  ])('ratio %f, advantage %f', (ratio, advantage, value, slope, clipped) => {
    const got = surrogate(dapo, Math.log(ratio), advantage);
    expect(got.value).toBeCloseTo(value, 9);
    expect(got.slope).toBeCloseTo(slope, 9);
    expect(got.clipped).toBe(clipped);
  });

  it('dual clip bounds the loss of negative advantages', () => {
    const dual = { ...dapo, dualClip: 3 };
    expect(surrogate(dual, Math.log(4), -2)).toEqual({ value: 6, slope: 0, clipped: true });
    expect(surrogate(dual, Math.log(2), -2).value).toBeCloseTo(4, 9);
    expect(surrogate(dual, Math.log(4), 2).value).toBeCloseTo(-2.56, 9);
  });

  it('clamps the log ratio, and gives no gradient beyond', () => {
    const clamped = { ...dapo, clip: null };
    const got = surrogate(clamped, 1000, -1);
    expect(got.value).toBeCloseTo(Math.exp(20), 0);
    expect(got.slope).toBe(0);
  });

  it('without clip it is the plain importance-weighted loss', () => {
    expect(surrogate({ ...dapo, clip: null }, Math.log(5), 2).value).toBeCloseTo(-10, 9);
  });
});

describe('KL estimates, by hand', () => {
  // log π = −1, log π_ref = −1.5: d = −0.5
  it('k1', () => expect(klTerm('k1', -1, -1.5)).toEqual({ value: 0.5, slope: 1 }));
  it('k2', () => expect(klTerm('k2', -1, -1.5)).toEqual({ value: 0.125, slope: 0.5 }));
  it('k3', () => {
    const { value, slope } = klTerm('k3', -1, -1.5);
    expect(value).toBeCloseTo(0.6065306597 + 0.5 - 1, 9);
    expect(slope).toBeCloseTo(1 - 0.6065306597, 9);
  });
});

describe('aggregation, by hand', () => {
  it('token mean', () => expect([...sequenceWeights('token-mean', [1, 3])]).toEqual([0.25, 0.25]));
  it('sequence mean', () =>
    expect([...sequenceWeights('sequence-mean', [1, 4, 0])]).toEqual([0.5, 0.125, 0]));
  it('sum over a constant', () =>
    expect([...sequenceWeights({ constant: 10 }, [1, 4])]).toEqual([0.05, 0.05]));
  it('weights of all tokens sum to 1 for both means', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }),
        (lengths) => {
          for (const kind of ['token-mean', 'sequence-mean'] as const) {
            const weights = sequenceWeights(kind, lengths);
            expect(lengths.reduce((sum, n, i) => sum + n * weights[i]!, 0)).toBeCloseTo(1, 9);
          }
        },
      ),
    );
  });
});

describe('a mean over tokens by micro-batch, by hand', () => {
  // Lengths 2, 4 | 0, 3 | 6, and an empty last one: means over 6, 3 and 6 tokens, a third of each.
  const lengths = [2, 4, 0, 3, 6, 0];
  it('is the mean of the micro-batches’ means', () => {
    expect([...sequenceWeights({ microBatch: 2 }, lengths)]).toEqual([
      1 / 18,
      1 / 18,
      0,
      1 / 9,
      1 / 18,
      0,
    ]);
  });

  it('without one, or as large as the batch, is that of all tokens', () => {
    for (const by of ['token-mean', { microBatch: 6 }, { microBatch: 100 }] as const)
      expect([...sequenceWeights(by, lengths)]).toEqual(
        lengths.map((length) => (length === 0 ? 0 : 1 / 15)),
      );
  });
});

describe('gradient of the whole objective', () => {
  const settings = fc.record({
    clip: fc.constantFrom(null, { low: 0.2, high: 0.28 }),
    dualClip: fc.constantFrom(null, 3),
    form: fc.constantFrom('k1' as const, 'k2' as const, 'k3' as const),
    place: fc.constantFrom('off' as const, 'loss' as const),
  });
  const token = fc.tuple(
    fc.double({ min: -4, max: -0.01, noNaN: true }),
    fc.double({ min: -0.8, max: 0.8, noNaN: true }),
    fc.double({ min: -0.8, max: 0.8, noNaN: true }),
  );

  it('is the finite difference of its loss, away from the kinks', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        settings,
        fc.array(token, { minLength: 1, maxLength: 6 }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (s, tokens, advantage) => {
          const objective: Objective = {
            ...dapo,
            clip: s.clip,
            dualClip: s.dualClip,
            kl: { form: s.form, place: s.place, coefficient: 0.3 },
          };
          // Doubles here, so that the differences are exact enough; the code only indexes them.
          const at = (shift: number, place: number) => {
            const logprob = Float64Array.from(tokens, ([p], i) => p + (i === place ? shift : 0));
            return {
              logprob: logprob as unknown as Float32Array,
              oldLogprob: Float64Array.from(
                tokens,
                ([p, gap]) => p - gap,
              ) as unknown as Float32Array,
              refLogprob: Float64Array.from(
                tokens,
                ([p, , gap]) => p - gap,
              ) as unknown as Float32Array,
              advantage,
              weight: 0.7,
            };
          };
          const h = 1e-5;
          const { coefficients } = tokenObjective(objective, at(0, 0));
          tokens.forEach(([, gap], i) => {
            const kinks = [Math.log(0.8), Math.log(1.28), Math.log(3)];
            if (kinks.some((kink) => Math.abs(gap - kink) < 1e-3)) return;
            const [up, down] = [
              tokenObjective(objective, at(h, i)),
              tokenObjective(objective, at(-h, i)),
            ];
            expect(coefficients[i]).toBeCloseTo(-(up.loss - down.loss) / (2 * h), 4);
            compared++;
          });
        },
      ),
    );
    expect(compared).toBeGreaterThan(100);
  });

  it('on policy, without KL, every token gets weight × advantage', () => {
    const logprob = Float32Array.of(-1, -2, -0.5);
    const got = tokenObjective(dapo, {
      logprob,
      oldLogprob: logprob,
      refLogprob: null,
      advantage: 1.5,
      weight: 0.5,
    });
    expect([...got.coefficients]).toEqual([0.75, 0.75, 0.75]);
    expect(got.loss).toBeCloseTo(-3 * 0.75, 9);
    expect(got.clipped).toBe(0);
  });

  it('refuses arrays of different length', () => {
    const two = Float32Array.of(-1, -1);
    const one = Float32Array.of(-1);
    expect(() =>
      tokenObjective(dapo, {
        logprob: two,
        oldLogprob: one,
        refLogprob: null,
        advantage: 1,
        weight: 1,
      }),
    ).toThrow(/one value per trained token/);
  });
});

describe('overlong punishment and learning rate, by hand', () => {
  it.each([
    [80, 0],
    [90, -0.5],
    [100, -1],
    [120, -2],
  ])('%i tokens of 100 with a buffer of 20', (length, penalty) =>
    expect(overlongPenalty(length, { max: 100, buffer: 20 })).toBeCloseTo(penalty, 9),
  );

  it('warms up, then falls along half a cosine', () => {
    const cosine = { learningRate: 2, schedule: 'cosine' as const, warmUpSteps: 4 };
    expect([1, 4, 9, 14].map((step) => learningRateAt(cosine, step, 14))).toEqual([
      0.5,
      2,
      expect.closeTo(1, 9),
      expect.closeTo(0, 9),
    ]);
    expect(learningRateAt({ ...cosine, schedule: 'constant' }, 13, 14)).toBe(2);
    expect(learningRateAt({ ...cosine, warmUpSteps: 0, schedule: 'constant' }, 1, 14)).toBe(2);
  });
});
