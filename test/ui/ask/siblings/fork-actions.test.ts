import { beforeEach, expect, it } from 'vitest';
import type { RunRequest } from '../../../../src/lab/contract/settings.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { forkOfRecord, forkRollout } from '../../../../src/ui/ask/siblings/fork-actions.ts';
import { formatAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { isRunning, useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { showRollouts } from '../../../../src/ui/ask/store/training-step.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { connectFake, stubPage } from '../../lab/fake-lab.ts';

/** Forks of a training group's rollouts, as the store of Ask keeps them. */

const rollout = (id: string): Rollout => ({ ...emptyRollout(id), groupId: 'g' });

beforeEach(() => {
  stubPage();
  useAsk.setState(useAsk.getInitialState(), true);
  useAsk.setState({
    adapters: [{ id: 'run-a', name: 'mine', recipe: 'search', overrides: {}, steps: [2, 1] }],
  });
});

const shown = async () => {
  const fake = connectFake();
  const source = { runId: 'run-a', name: 'mine', step: 3, group: 'g', run: runRecord('run-a') };
  await showRollouts([rollout('a'), rollout('b')], source, 0, () => undefined);
  return fake;
};

it('asks the lab to go on with the adapter that wrote it, and keeps a place beside the original', async () => {
  const fake = await shown();
  await forkRollout(rollout('a'), { change: 'source', event: 4, source: 'web' });
  const [[request]] = fake.callsOf('ask.run') as [[RunRequest]];
  expect(request).toMatchObject({
    setup: BUILT_IN_SETUP,
    policies: [{ kind: 'run', run: 'run-a', step: 2 }],
    fork: { rolloutId: 'a-fork-1', event: 4, change: 'source', source: 'web' },
  });
  const { table, forks, run } = useAsk.getState();
  expect(table.order).toEqual(['a', 'a-fork-1', 'b']);
  expect(forks['a-fork-1']).toMatchObject({
    of: 'a',
    event: 4,
    words: 'the search goes to the web',
  });
  expect(isRunning(run)).toBe(true);
  expect(useAsk.getState().address.forks).toEqual([
    { rollout: 0, event: 4, change: 'source', source: 'web' },
  ]);
  // One at a time.
  await forkRollout(rollout('b'), { change: 'draw', event: 0 });
  expect(fake.callsOf('ask.run')).toHaveLength(1);
});

it('says why a fork was not made, and leaves everything else as it was', async () => {
  await shown();
  await forkRollout(rollout('a'), { change: 'gold', event: 2 });
  const { run, setRun } = useAsk.getState();
  const failure = { kind: 'failed' as const, message: 'No passage is missing.', detail: '' };
  if (run) setRun({ ...run, status: 'failed', failure });
  const after = useAsk.getState();
  expect(after.table.order).toEqual(['a', 'b']);
  expect([after.forkProblem, after.run?.status, after.run?.failure]).toEqual([
    'No passage is missing.',
    'done',
    null,
  ]);
});

it('comes after earlier forks, each with different random numbers', async () => {
  const fake = await shown();
  const start = (id: string) => {
    useAsk.getState().apply([{ type: 'started', rolloutId: id, rollout: rollout(id) }]);
    const { run, setRun } = useAsk.getState();
    if (run) setRun({ ...run, status: 'done' });
  };
  for (const number of [1, 2]) {
    await forkRollout(rollout('a'), { change: 'draw', event: 1 });
    start(`a-fork-${number}`);
  }
  expect(useAsk.getState().table.order).toEqual(['a', 'a-fork-1', 'a-fork-2', 'b']);
  const seeds = fake.callsOf('ask.run').map(([one]) => (one as RunRequest).fork?.seed);
  expect(new Set(seeds).size).toBe(2);
});

it('lets only the policy that wrote a rollout of a file continue it, unless another one is chosen', async () => {
  const fake = connectFake();
  const source = { place: { file: 'f', rollout: 'a' }, name: 'asked.jsonl', setup: BUILT_IN_SETUP };
  const paths: string[] = [];
  await forkOfRecord(source, rollout('a'), { change: 'draw', event: 0 }, (path) =>
    paths.push(path),
  );
  const [[request]] = fake.callsOf('ask.run') as [[RunRequest]];
  expect(request).toMatchObject({
    setup: BUILT_IN_SETUP,
    fork: { rolloutId: 'a-fork-1', writer: { id: 'test', revision: '0' } },
  });
  expect(paths).toEqual(['/ask']);
  expect(formatAddress(useAsk.getState().address)).toBe('?file=f&id=a&fork=1-1-draw&rollout=2');
  const { run, setRun } = useAsk.getState();
  if (run) setRun({ ...run, status: 'done' });
  const policy = { kind: 'run', run: 'run-a', step: 1 } as const;
  const other = { policy, name: 'mine, step 1' };
  await forkRollout(rollout('a'), { change: 'policy', event: 0, policy: other });
  const [, [second]] = fake.callsOf('ask.run') as [[RunRequest], [RunRequest]];
  expect(second.policies).toEqual([policy]);
  expect(second.fork).not.toHaveProperty('writer');
});
