import { describe, expect, test } from 'vitest';
import { BENCH_CONFIG, promptLength } from '../../bench/rollout/shape.ts';
import { BEST, bestSettings, CANDIDATES, loadParams } from '../../bench/rollout/wllama-settings.ts';

const TOKENS = 224;

describe('what wllama is compared with', () => {
  const settings = CANDIDATES[BEST];

  test('is a setting in which each slot attends to its own context alone', () => {
    expect(settings?.unified).toBe(false);
  });

  test.each(
    Object.entries(CANDIDATES).flatMap(([name, s]) => [16, 64].map((n) => ({ name, s, n }))),
  )('holds $n rollouts at once, each whole: $name', ({ s, n }) => {
    const { n_ctx = 0, n_parallel = 0 } = loadParams(n, s, BENCH_CONFIG.maxPositions);
    expect(n_parallel * s.instances).toBe(n);
    const longest = Math.max(...Array.from({ length: n }, (_, i) => promptLength(i + 1))) + TOKENS;
    expect(n_ctx / n_parallel).toBeGreaterThanOrEqual(longest);
  });

  test.each([
    { slots: 1, threads: 1, instances: 1, each: 1 },
    { slots: 1, threads: 2, instances: 1, each: 2 },
    { slots: 16, threads: 1, instances: 1, each: 1 },
    { slots: 16, threads: 2, instances: 2, each: 1 },
    { slots: 2, threads: 4, instances: 2, each: 2 },
  ])('uses $threads threads for $slots slots', ({ slots, threads, instances, each }) => {
    expect(bestSettings(slots, threads)).toMatchObject({ instances, threads: each });
    const { n_ctx, n_parallel } = loadParams(slots, bestSettings(slots, threads), 256);
    // One store for all slots would have to hold as much.
    expect({ n_ctx, n_parallel }).toEqual({
      n_ctx: (256 * slots) / instances,
      n_parallel: slots / instances,
    });
  });
});
