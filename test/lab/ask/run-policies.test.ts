import { expect, it } from 'vitest';
import { RunPolicies } from '../../../src/lab/ask/run-policies.ts';
import type { PolicyParts } from '../../../src/lab/models/serving/find-policy.ts';
import type { LoraValues, Policy } from '../../../src/policy/policy.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

/** Which engine is asked, with which adapter, and how the page's own is left. */

/** What an engine was told to carry, by the first number of each adapter; null: none. */
const engine = (carried: (number | null)[]): Policy =>
  ({
    setAdapter: (adapter: LoraValues | null) => {
      carried.push(adapter?.flat[0] ?? null);
      return Promise.resolve();
    },
  }) as Partial<Policy> as Policy;

const ELSEWHERE = { kind: 'endpoint', id: 'server' } as const;
/** Of the built-in policy, with adapters of steps 8 and 10. */
const { settings } = runRecord('r');
const RUN = runRecord('r', {
  name: 'mine',
  settings: { ...settings, overrides: { retrieval: { k: 2 } } },
});

const open = () => {
  const own: (number | null)[] = [];
  const apart: string[] = [];
  const parts: PolicyParts = {
    runs: {
      run: (id) => (id === 'r' ? Promise.resolve(RUN) : Promise.reject(new Error('no such run'))),
      adapterSteps: () => Promise.resolve([10, 8]),
      adapterAt: (_, step) => Promise.resolve({ adapter: new Float32Array([step]), router: null }),
    },
    facts: () => Promise.resolve(RUN.policy) as never,
    endpointOf: (ref) => (ref.kind === 'endpoint' ? { url: 'x' } : null),
    openApart: (ref) => {
      apart.push(`open ${ref.kind}`);
      const terminate = () => apart.push('end');
      return Promise.resolve({ policy: engine([]), terminate }) as never;
    },
  };
  const page = { ref: BUILT_IN_SETUP.policy, policy: engine(own) };
  return { policies: new RunPolicies(parts, 'wasm', page, () => undefined), page, own, apart };
};

it('asks the page’s engine without and with an adapter, and leaves it without one', async () => {
  const { policies, page, own, apart } = open();
  const alone = await policies.get({ kind: 'base', policy: BUILT_IN_SETUP.policy });
  expect([alone.policy === page.policy, alone.adapter]).toEqual([true, undefined]);
  const newest = await policies.get({ kind: 'run', run: 'r', step: null });
  expect([newest.policy === page.policy, newest.adapter]).toEqual([true, 'r-step-10']);
  await policies.get({ kind: 'run', run: 'r', step: 8 });
  await policies.get({ kind: 'base', policy: BUILT_IN_SETUP.policy });
  expect(own).toEqual([10, 8, null]);
  await policies.get({ kind: 'run', run: 'r', step: 8 });
  await policies.end();
  expect(own.at(-1)).toBeNull();
  expect(apart).toEqual([]);
});

it('opens another policy beside the page’s, and ends it', async () => {
  const { policies, page, own, apart } = open();
  const other = await policies.get({ kind: 'base', policy: ELSEWHERE });
  expect(other.policy).not.toBe(page.policy);
  await policies.end();
  expect([apart, own.filter((adapter) => adapter !== null)]).toEqual([
    ['open endpoint', 'end'],
    [],
  ]);
});

it('asks with what the run of the adapter set, for its own recipe only', async () => {
  const { policies } = open();
  const run = { kind: 'run', run: 'r', step: null } as const;
  expect(await policies.trainedWith(run, RUN.settings.recipe)).toEqual({ retrieval: { k: 2 } });
  expect(await policies.trainedWith(run, 'kunlun-baize')).toEqual({});
  expect(await policies.trainedWith({ kind: 'base', policy: ELSEWHERE }, 'search')).toEqual({});
  await expect(policies.trainedWith({ ...run, run: 'gone' }, 'search')).rejects.toThrow('no such');
});

it('says which run is not here', async () => {
  const { policies } = open();
  await expect(policies.get({ kind: 'run', run: 'gone', step: null })).rejects.toThrow(
    'no such run',
  );
});
