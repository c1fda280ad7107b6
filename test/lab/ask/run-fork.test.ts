import { expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { RemoteRetriever } from '../../../src/lab/corpus/retrieval/start-retrieval.ts';
import { recipeFor } from '../../../src/lab/ask/request.ts';
import type { RunPolicies } from '../../../src/lab/ask/run-policies.ts';
import { runRollouts } from '../../../src/lab/ask/run-rollouts.ts';
import {
  DEFAULT_SETTINGS,
  type PolicyChoice,
  type ForkRequest,
} from '../../../src/lab/contract/settings.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { eventsOf, LOCAL, QUESTION, retrieverOver, run } from '../../agent/helpers.ts';

/** Forks that the lab makes of a rollout: by whom, and what their records say. */

const SCRIPT = [
  '<think> who wrote it </think><search> author of Old Wolf </search>',
  '<think> enough </think><short_answer> \\boxed{ Borfield } </short_answer>',
];

const fork = async (
  change: Pick<ForkRequest, 'change' | 'source' | 'temperature'>,
  asked?: PolicyChoice,
) => {
  const { rollout, policy } = await run(
    { main: SCRIPT },
    { overrides: { retrieval: { source: 'local' } } },
  );
  const of = JSON.parse(JSON.stringify(rollout)) as typeof rollout;
  const got: unknown[] = [];
  const policies = {
    get: (one?: PolicyChoice) => {
      got.push(one);
      return Promise.resolve({ policy, ...(one && { adapter: 'run-a-step-1' }) });
    },
    end: () => Promise.resolve(),
  } as Partial<RunPolicies> as RunPolicies;
  const event = of.events.findIndex(({ kind }) => kind === 'route');
  const request = {
    runId: 'r',
    asked: { kind: 'world' as const, id: QUESTION.id },
    settings: DEFAULT_SETTINGS,
    setup: BUILT_IN_SETUP,
    fork: { of, event, rolloutId: 'f', ...change },
    ...(asked && { policies: [asked] }),
  };
  const made = await runRollouts(
    {
      request,
      question: of.question,
      chosen: recipeFor(DEFAULT_SETTINGS, BUILT_IN_SETUP),
      policies,
      sources: {
        // Nobody looks up names here.
        retriever: retrieverOver() as RemoteRetriever,
        router: createRouter(),
        local: LOCAL,
      },
      summarizer: null,
      signal: new AbortController().signal,
    },
    () => undefined,
  );
  expect(made).toHaveLength(1);
  expect(made[0]?.forks?.at(-1)).toMatchObject({ rolloutId: 'r', event });
  return { of, made: made[0] ?? of, got };
};

it('a fork with an adapter is asked of it, and its record names it', async () => {
  const asked = { kind: 'run', run: 'run-a', step: 1 } as const;
  const { of, made, got } = await fork({ change: 'policy' }, asked);
  expect(got).toEqual([asked]);
  expect([of.policy.adapter, made.policy.adapter]).toEqual([undefined, 'run-a-step-1']);
});

it('a fork from the other source searches there, by the policy as it is', async () => {
  const { of, made } = await fork({ change: 'source', source: 'web' });
  const first = (rollout: typeof of) => eventsOf(rollout, 'route')[0]?.choice;
  expect([first(of), first(made)]).toEqual(['local', 'web']);
  expect(made.policy.adapter).toBeUndefined();
});
