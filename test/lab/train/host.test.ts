import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { filesOfSite } from '../../../src/lab/storage/files-of-site.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import { TabLocks } from '../models/checkpoints/tab-locks.ts';
import { TrainingHost, type HostParts } from '../../../src/lab/train/host.ts';
import { writeRunFile } from '../../../src/lab/train/records.ts';
import { actionsOf } from '../../../src/ui/train/run/run-words.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { MemoryBlobs } from '../storage/memory-blobs.ts';

/** What the page refuses to train, and that nothing stored changes by it. */

const settingsOf = (change: Partial<TrainSettings>): TrainSettings => ({
  ...getTraining('search/grpo'),
  ...change,
});

const STATE: TrainState = {
  step: 2,
  updates: 2,
  warmedUp: 0,
  adapter: Float32Array.of(1),
  first: Float32Array.of(1),
  second: Float32Array.of(1),
  learningRate: null,
  curriculum: null,
  router: null,
  elapsed: 1,
};

let store: RunStore;
let channel: BroadcastChannel;
let orders: BroadcastChannel;
let host: TrainingHost;
let checkFiles: () => void;
beforeEach(() => {
  const db = new ForageDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  store = new RunStore(db, new MemoryBlobs());
  channel = new BroadcastChannel('host-test');
  orders = new BroadcastChannel('host-test-orders');
  const unreached = (): Promise<never> => Promise.reject(new Error('an engine was asked for'));
  checkFiles = () => undefined;
  const parts: HostParts = {
    checkFiles: () => checkFiles(),
    store,
    channel,
    orders,
    locks: new TabLocks(),
    policies: () => Promise.resolve([]),
    policy: unreached,
    world: unreached,
    helper: unreached,
    startEngines: unreached,
  };
  host = new TrainingHost(parts);
});
afterEach(() => {
  channel.close();
  orders.close();
});

const paused = async (settings: TrainSettings, state: TrainState): Promise<void> => {
  await store.put(runRecord('run-a', { settings, status: 'paused', step: 2 }));
  await store.commit('run-a', state, [], { step: 2 });
};

describe('a stored run', () => {
  it.each([
    [
      'drawn at top-k 20',
      { overrides: { sampling: { topK: 20 } } },
      /top-k 20 is refused.*that top-k keeps\. Its steps so far \(2\) and its adapter stay; start a new run/,
    ],
    [
      'that asked for summaries',
      { overrides: { retrieval: { summarize: 'on' } } },
      /summaries is refused: no summarizer is chosen.*Its steps so far \(2\) and its adapter stay/,
    ],
  ] as const)('%s opens, and cannot be resumed', async (_, change, message) => {
    await paused(settingsOf(change), STATE);
    const before = await store.run('run-a');
    await expect(host.resume('run-a')).rejects.toThrow(message);
    expect(await store.run('run-a')).toEqual(before);
    expect((await host.runs()).map(({ id }) => id)).toEqual(['run-a']);
    expect((await store.lastState('run-a'))?.step).toBe(2);
  });

  it('at T = 0.7 goes on', async () => {
    await paused(settingsOf({ temperature: 0.7 }), STATE);
    await expect(host.resume('run-a')).rejects.toThrow('an engine was asked for');
  });
});

describe('runs of another version of Forage', () => {
  it('are named, kept apart from the others, and deleted only on request', async () => {
    const older = { ...runRecord('old', { name: 'Old run' }), format: 'forage.run/1' };
    await store.put(older as unknown as RunRecord);
    await store.addSteps('old', [{ record: trainStep(1, 'old'), rollouts: [] }]);
    await store.put(runRecord('run-a'));
    expect((await host.runs()).map(({ id }) => id)).toEqual(['run-a']);
    expect(await host.olderRuns()).toEqual([{ id: 'old', name: 'Old run' }]);
    await expect(host.resume('old')).rejects.toThrow(/made by another version of Forage.*train it/);
    expect(await store.steps('old')).toHaveLength(1);
    await host.removeOlderRuns();
    expect(await host.olderRuns()).toEqual([]);
    expect(await store.steps('old')).toEqual([]);
    expect((await host.runs()).map(({ id }) => id)).toEqual(['run-a']);
  });
});

describe('a run that comes as a file', () => {
  const settings = settingsOf({ steps: 4 });
  const run = runRecord('run-a', {
    settings,
    status: 'running',
    step: 2,
    checkpointStep: 2,
    before: ['Cold start: 12 of 12 updates.'],
  });
  const imported = (state: TrainState | null) =>
    host.importRun(new Blob([writeRunFile({ run, steps: [trainStep(1), trainStep(2)], state })]));

  it('with its snapshot goes on behind it', async () => {
    const { id } = await imported(STATE);
    const kept = await store.run(id);
    expect(kept).toMatchObject({ status: 'paused', checkpointStep: 2, importedStep: 2 });
    expect((await store.steps(id)).map(({ step }) => step)).toEqual([1, 2]);
    expect(kept.before).toEqual(['Cold start: 12 of 12 updates.']);
    expect(actionsOf(kept).resume).toBe(true);
  });

  it('without one keeps its steps to be read, and says why it does not go on', async () => {
    const { id } = await imported(null);
    const kept = await store.run(id);
    expect(kept).toMatchObject({ status: 'stopped', step: 2, checkpointStep: null });
    expect(kept.notice).toMatch(/no snapshot.*can be read/);
    expect((await store.steps(id)).map(({ step }) => step)).toEqual([1, 2]);
    expect(actionsOf(kept).resume).toBe(false);
  });

  it.each([['a snapshot'], ['none']])('with %s is seen by nobody before its steps', async (has) => {
    const storing = imported(has === 'none' ? null : STATE);
    const tick = (): Promise<'storing'> =>
      new Promise((resolve) => {
        setTimeout(() => resolve('storing'), 0);
      });
    while ((await Promise.race([storing, tick()])) === 'storing') {
      const seen = (await store.runs()).filter(({ deletedAt }) => deletedAt === null);
      for (const { id } of seen) expect((await store.steps(id)).length).toBe(2);
    }
    expect((await store.runs()).map(({ deletedAt }) => deletedAt)).toEqual([null]);
  });

  it('leaves nothing where it cannot be stored', async () => {
    vi.spyOn(store, 'addSteps').mockRejectedValueOnce(new Error('no room'));
    await expect(imported(null)).rejects.toThrow('no room');
    expect(await store.runs()).toEqual([]);
  });
});

it.each([
  [{ overrides: { sampling: { topK: 20 } } }, /top-k 20 is refused/],
  [{ overrides: { retrieval: { summarize: 'on' } } }, /summaries is refused/],
])('a new run with %j is refused', async (change, message) => {
  const created = host.create(settingsOf(change), '', 'wasm', BUILT_IN_SETUP);
  await expect(created).rejects.toThrow(message);
  expect(await store.runs()).toEqual([]);
});

it('nothing begins, and nothing is stored, where the browser keeps no files', async () => {
  // As WebKitGTK: Node has no `navigator.storage` either.
  checkFiles = filesOfSite;
  const reason = /^this browser keeps no files for pages.*Open this page in Firefox/;
  await expect(host.create(settingsOf({}), '', 'wasm', BUILT_IN_SETUP)).rejects.toThrow(reason);
  const axes = [{ path: 'groupSize', values: [2, 4] }];
  const sweep = host.createSweep({ name: '', axes }, settingsOf({}), 'wasm', BUILT_IN_SETUP);
  await expect(sweep).rejects.toThrow(reason);
  expect(await store.runs()).toEqual([]);
  // The page learns of no runs, and of no failure that trying again could mend.
  await host.listen(() => undefined);
  expect(await host.runs()).toEqual([]);
});
