import { describe, expect, test } from 'vitest';
import { promptLength } from '../../bench/rollout/shape.ts';
import { BEST, CANDIDATES, loadParams } from '../../bench/rollout/wllama-settings.ts';

const TOKENS = 224;

describe('what wllama is compared with', () => {
  const settings = CANDIDATES[BEST];

  test('is a setting in which each slot attends to its own context alone', () => {
    expect(settings?.unified).toBe(false);
  });

  test.each(
    Object.entries(CANDIDATES).flatMap(([name, s]) => [16, 64].map((n) => ({ name, s, n }))),
  )('holds $n rollouts at once, each whole: $name', ({ s, n }) => {
    const { n_ctx = 0, n_parallel = 0 } = loadParams(n, s);
    expect(n_parallel * s.instances).toBe(n);
    const longest = Math.max(...Array.from({ length: n }, (_, i) => promptLength(i + 1))) + TOKENS;
    expect(n_ctx / n_parallel).toBeGreaterThanOrEqual(longest);
  });
});
