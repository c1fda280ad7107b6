import { describe, expect, it } from 'vitest';
import { deriveSeed, uniform } from '../../src/base/random.ts';

describe('seeds of seeds', () => {
  // Runs that are stored name their seeds: another derivation would draw other rollouts from them. The
  // numbers were computed apart, in whole numbers of any size cut to 32 bits.
  it.each([
    [0, [], 3_404_925_616],
    [7, ['rollout', 0], 365_887_919],
    [7, ['rollout', 1], 4_176_254_405],
    [1, ['probe', 2, 3], 3_001_309_431],
  ] as const)('of %i along %j is %i', (seed, path, derived) => {
    expect(deriveSeed(seed, ...path)).toBe(derived);
  });

  it('a draw from one is its share of 2³²', () => {
    expect(uniform(5)).toBe(179_895_298 / 2 ** 32);
  });

  it('differ by every step of the path', () => {
    const all = [
      deriveSeed(1),
      deriveSeed(1, 'a'),
      deriveSeed(1, 'a', 'b'),
      deriveSeed(1, 'ab'),
      deriveSeed(1, 'b', 'a'),
      deriveSeed(1, 0),
      deriveSeed(1, 0, 0),
      deriveSeed(2, 'a'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('draws fill [0, 1) evenly', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 10_000; i++) tenths[Math.floor(uniform(deriveSeed(3, i)) * 10)]! += 1;
    // 1,000 each; the standard deviation is 30.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(130);
  });
});
