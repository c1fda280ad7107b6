import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.ts';

const words = (random: Random, count: number): number[] =>
  Array.from({ length: count }, () => random.nextUint32());

describe('the seeded generator (xoshiro128**)', () => {
  // Computed apart from the published algorithms, in whole numbers of any size cut to 32 bits.
  it.each([
    [0, [1_789_933_344, 44_971_166, 2_521_387_044, 3_848_737_593, 1_138_324_114]],
    [1, [393_288_148, 2_174_103_013, 3_814_759_091, 2_092_745_082, 1_865_176_206]],
    [12_345, [1_093_274_547, 203_003_357, 3_741_353_573, 3_803_725_158, 4_178_738_660]],
  ])('of %i is the same on every machine', (seed, expected) => {
    expect(words(new Random(seed), 5)).toEqual(expected);
  });

  it('gives 53 bits of two words', () => {
    expect(new Random(1).next()).toBe(0.091_569_531_755_132_94);
  });

  it('goes on from a state that was saved', () => {
    const random = new Random(7);
    words(random, 3);
    const saved = random.save();
    const rest = words(random, 4);
    expect(words(Random.restore(saved), 4)).toEqual(rest);
    expect(saved).toHaveLength(4);
    expect(() => Random.restore([1, 2, 3])).toThrow('a state has 4 words, got 3');
  });

  it('draws whole numbers below a bound, each as often', () => {
    const random = new Random(3);
    const counts = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i++) counts[random.integer(5)]! += 1;
    // 1,000 each; the standard deviation is 28.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
    expect(random.integer(1)).toBe(0);
  });

  it('draws normal numbers: mean 0, deviation 1, a third beyond it, none correlated', () => {
    const random = new Random(5);
    const n = 20_000;
    const values = Array.from({ length: n }, () => random.normal());
    const mean = values.reduce((sum, v) => sum + v, 0) / n;
    const variance = values.reduce((sum, v) => sum + v * v, 0) / n;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.04);
    const beyond = values.filter((v) => Math.abs(v) > 1).length / n;
    expect(Math.abs(beyond - 0.3173)).toBeLessThan(0.015);
    const skew = values.reduce((sum, v) => sum + v ** 3, 0) / n;
    expect(Math.abs(skew)).toBeLessThan(0.08);
    const lag = values.slice(1).reduce((sum, v, i) => sum + v * values[i]!, 0) / n;
    expect(Math.abs(lag)).toBeLessThan(0.03);
  });

  it('fills arrays with a deviation', () => {
    const values = new Float32Array(10_000);
    new Random(2).fillNormal(values, 0.02);
    const variance = values.reduce((sum, v) => sum + v * v, 0) / values.length;
    expect(Math.sqrt(variance)).toBeCloseTo(0.02, 3);
    expect(values.every((v) => v !== 0)).toBe(true);
  });
});
