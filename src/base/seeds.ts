/**
 * Seeds. A group's seed gives each rollout's seed, a rollout's seed gives one seed to every place
 * where chance enters: `deriveSeed(groupSeed, 'rollout', i)`, then `deriveSeed(seed, 'policy')` for
 * the context, `'thought'` for T's context, `('probe', round, k)` for candidate k, and
 * `('route', round)` for the router. So no order of concurrent calls can change a draw.
 */

const mix = (state: number, value: number): number => {
  let h = Math.imul(state ^ value, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** A 32-bit seed from a seed and a path of names and numbers (murmur3's finaliser at each step). */
export function deriveSeed(seed: number, ...path: readonly (string | number)[]): number {
  let state = mix(0x2545f491, seed >>> 0);
  for (const part of path) {
    if (typeof part === 'number') state = mix(state, part >>> 0);
    else for (const char of part) state = mix(state, char.codePointAt(0) ?? 0);
    state = mix(state, 0x51ed270b);
  }
  return state;
}

/** One number in [0, 1) from a seed. */
export const uniform = (seed: number): number => mix(0x6a09e667, seed) / 0x1_0000_0000;
