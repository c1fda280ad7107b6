import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import {
  expectedInput,
  initGates,
  lambdaFor,
  mixInput,
  mixInputBackward,
  viewGates,
} from '../../../src/policy/latent/gates.ts';
import { gateSize } from '../../../src/policy/lora/spec.ts';

const random = new Random(7);
const normal = (count: number, spread = 1): Float64Array => {
  const values = new Float32Array(count);
  random.fillNormal(values, spread);
  return Float64Array.from(values);
};

describe('the expected input', () => {
  // By hand: √(.25 + .09 + .04) = √.38 = .61644; .5/.61644 = .8111, .3/.61644 = .4867, .2/.61644 = .3244.
  it('of p = (.5, .3, .2) weighs the embeddings by (.8111, .4867, .3244)', () => {
    const logits = [0.5, 0.3, 0.2].map((p) => Math.log(p) + 3);
    const unit = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const h = expectedInput(logits, 1, unit, 3);
    [0.8111, 0.4867, 0.3244].forEach((weight, v) => expect(h[v]).toBeCloseTo(weight, 4));
  });

  // p at temperature ½ is p²: .25, .09, .04 over .38; √(.0625 + .0081 + .0016) = .26870.
  it('is of the distribution that was drawn from', () => {
    const logits = [0.5, 0.3, 0.2].map(Math.log);
    const unit = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const h = expectedInput(logits, 0.5, unit, 3);
    [0.9304, 0.3349, 0.1489].forEach((weight, v) => expect(h[v]).toBeCloseTo(weight, 4));
  });
});

describe('the gates', () => {
  it('with r = ½ are .99 and .999 at the Λ that was worked by hand', () => {
    expect(lambdaFor(0.99, 0.5)).toBeCloseTo(5.985, 3);
    expect(lambdaFor(0.999, 0.5)).toBeCloseTo(8.293, 3);
    expect(lambdaFor(1, 0.5)).toBe(Infinity);
  });

  // W = 0: r = i = ½. a = .99: √(1 − .9801) = .14107; .99 · 2 + .14107 · ½ · 4 = 2.2621.
  it('mix token and expectation as worked by hand', () => {
    const values = new Float64Array(gateSize(1));
    values[4] = lambdaFor(0.99, 0.5);
    const out = new Float64Array(1);
    const mean = mixInput(viewGates(values, 1), Float64Array.of(2), Float64Array.of(4), out);
    expect(mean).toBeCloseTo(0.99, 6);
    expect(out[0]).toBeCloseTo(2.2621, 4);
  });

  it('start with every a in the range', () => {
    const width = 32;
    const gates = viewGates(initGates(width, { rMin: 0.95, rMax: 0.999 }, 3), width);
    for (let n = 0; n < 20; n++) {
      const e = normal(width, 0.05);
      const mean = mixInput(gates, e, new Float64Array(width), new Float64Array(width));
      // Small weights move r a little off ½.
      expect(mean).toBeGreaterThan(0.96);
      expect(mean).toBeLessThan(0.99);
    }
  });

  it('with a = 1 give the token’s embedding, and learn nothing', () => {
    const width = 5;
    const gates = viewGates(initGates(width, { rMin: 1, rMax: 1 }, 3), width);
    const [e, h, out] = [normal(width), normal(width), new Float64Array(width)];
    expect(mixInput(gates, e, h, out)).toBe(1);
    expect(out).toEqual(e);
    const gradient = new Float64Array(gateSize(width));
    mixInputBackward(gates, e, h, normal(width), viewGates(gradient, width));
    expect(gradient.every((value) => value === 0)).toBe(true);
  });

  it('have the gradient of finite differences, every one of their values', () => {
    const width = 6;
    const values = normal(gateSize(width), 0.5);
    for (let j = 0; j < width; j++) values[values.length - 1 - j] = lambdaFor(0.6 + 0.06 * j, 0.5);
    const [e, h, slope] = [normal(width), normal(width), normal(width)];
    const loss = (at: Float64Array): number => {
      const out = new Float64Array(width);
      mixInput(viewGates(at, width), e, h, out);
      return out.reduce((sum, value, j) => sum + value * (slope[j] ?? 0), 0);
    };
    const gradient = new Float64Array(values.length);
    mixInputBackward(viewGates(values, width), e, h, slope, viewGates(gradient, width));
    const step = 1e-5;
    values.forEach((value, at) => {
      const moved = (by: number): number => loss(values.with(at, value + by));
      const wanted = (moved(step) - moved(-step)) / (2 * step);
      expect(gradient[at], `value ${at}`).toBeCloseTo(wanted, 7);
    });
  });

  it('refuse another number of values', () => {
    expect(() => viewGates(new Float32Array(7), 3)).toThrow(/7 values given, width 3 has 27/);
  });
});
