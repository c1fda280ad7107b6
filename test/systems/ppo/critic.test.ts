import { describe, expect, it } from 'vitest';
import {
  gae,
  normalised,
  valuedMask,
  valueLoss,
  valuesOf,
  whitenTokens,
} from '../../../src/systems/ppo/critic.ts';
import { mean } from '../../../src/base/statistics.ts';

/** PPO's critic, on cases worked by hand. */

const one = { gamma: 1, lambda: 1 };
const numbers = (...values: number[]): Float64Array => Float64Array.from(values);

describe('GAE with a critic', () => {
  it('of γ = λ = 1 is the reward to come less the value, with an environment token or without', () => {
    const released = gae(numbers(0, 0, 0, 1), numbers(0.2, 0.3, 0.5, 0.6), one);
    [0.8, 0.7, 0.5, 0.4].forEach((a, i) => expect(released.advantages[i]).toBeCloseTo(a, 12));
    const skipping = gae(numbers(0, 0, 1), numbers(0.2, 0.3, 0.6), one);
    [0.8, 0.7, 0.4].forEach((a, i) => expect(skipping.advantages[i]).toBeCloseTo(a, 12));
    // What whitening takes from each.
    expect(mean([...released.advantages])).toBeCloseTo(0.6, 12);
    expect(mean([...skipping.advantages])).toBeCloseTo(0.6333, 4);
    released.returns.forEach((of) => expect(of).toBeCloseTo(1, 12));
  });
  it('of γ 0.99 and λ 0.95 is as worked for SmartRAG', () => {
    const { advantages } = gae(numbers(0, -0.2, 0, 2), numbers(0.5, 0.6, 0.7, 0.9), {
      gamma: 0.99,
      lambda: 0.95,
    });
    [1.0774, 1.0456, 1.2256, 1.1].forEach((a, i) => expect(advantages[i]).toBeCloseTo(a, 4));
  });
  it('values what the policy wrote; as released everything from its first token on', () => {
    const mask = Uint8Array.of(0, 0, 1, 1, 0, 0, 1);
    expect([...valuedMask(mask, 'skip')]).toEqual([0, 0, 1, 1, 0, 0, 1]);
    expect([...valuedMask(mask, 'released')]).toEqual([0, 0, 1, 1, 1, 1, 1]);
    expect([...valuedMask(Uint8Array.of(0, 0), 'released')]).toEqual([0, 0]);
  });
  it('whitens over the tokens of all rollouts', () => {
    const [a, b] = whitenTokens([numbers(1), numbers(2, 3)]);
    expect([...(a ?? []), ...(b ?? [])].map((x) => Number(x.toFixed(6)))).toEqual([-1, 0, 1]);
  });
});

describe('the value head', () => {
  it('is linear in the state over its root mean square', () => {
    // √((9 + 16) / 2) = 3.5355
    const rows = normalised(Float32Array.of(3, 4), 2);
    expect(valuesOf(rows, Float32Array.of(1, 2, 0.5))[0]).toBeCloseTo((3 + 8) / 3.5355 + 0.5, 3);
  });
  it('loses what the clip does not hide: ½ max((0.9 − 1)², (0.5 − 1)²) where it moved by 0.9 of 0.5', () => {
    const at = { returns: numbers(1), old: numbers(0), clip: 0.5 };
    const { loss, gradient } = valueLoss(Float32Array.of(1), Float32Array.of(0.9, 0), at);
    expect(loss).toBeCloseTo(0.125, 6);
    expect([...gradient]).toEqual([0, 0]);
    const further = { ...at, returns: numbers(-1) };
    const away = valueLoss(Float32Array.of(1), Float32Array.of(0.9, 0), further);
    expect(away.loss).toBeCloseTo(1.9 ** 2 / 2, 6);
    expect(away.gradient[0]).toBeCloseTo(1.9, 6);
  });
  it('has the gradient of its loss, by finite differences', () => {
    const features = Float32Array.of(0.5, -1, 2, 0.25, 1, 1);
    const head = Float32Array.of(0.5, -0.25, 0.125);
    const at = { returns: numbers(1, 0, -0.5), old: numbers(0.4, 0.9, 0.1), clip: 0.5 };
    const { gradient } = valueLoss(features, head, at);
    const step = 1 / 1024;
    head.forEach((value, i) => {
      const loss = (of: number): number => valueLoss(features, head.with(i, of), at).loss;
      const slope = (loss(value + step) - loss(value - step)) / (2 * step);
      expect(gradient[i]).toBeCloseTo(slope, 5);
    });
  });
});
