import { expect, it } from 'vitest';
import type { Policy } from '../../../src/policy/policy.ts';
import { recipeFor } from '../../../src/lab/ask/request.ts';
import type { RunPolicies } from '../../../src/lab/ask/run-policies.ts';
import { runRollouts } from '../../../src/lab/ask/run-rollouts.ts';
import { DEFAULT_SETTINGS } from '../../../src/lab/contract/settings.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

/** Forks that the lab refuses before anything is sampled. */

it('lets only the right weights continue a rollout', async () => {
  const policy = { info: { id: 'test', revision: '1' } } as Policy;
  let ended = false;
  const policies = {
    get: () => Promise.resolve({ policy }),
    end: () => Promise.resolve(void (ended = true)),
  } as unknown as RunPolicies;
  const { id, version, settings } = getRecipe('search');
  const of = {
    ...emptyRollout('a'),
    recipe: { id, version, settings: settings as unknown as Record<string, unknown> },
  };
  const fork = { of, event: 0, rolloutId: 'b', change: 'draw' as const, writer: of.policy };
  const asked = { kind: 'world' as const, id: 'q' };
  const request = { runId: 'r', asked, settings: DEFAULT_SETTINGS, setup: BUILT_IN_SETUP, fork };
  const parts = {
    request,
    question: of.question,
    chosen: recipeFor(DEFAULT_SETTINGS, BUILT_IN_SETUP),
    policies,
    sources: {} as never,
    summarizer: null,
    signal: new AbortController().signal,
  };
  await expect(runRollouts(parts, () => undefined)).rejects.toThrow(
    /^test 0 wrote this rollout, but test 1 would continue it\./,
  );
  expect(ended).toBe(true);
});
