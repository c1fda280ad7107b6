import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import { TrainingHost, type HostParts } from '../../../src/lab/train/host.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import type { TrainMessage, TrainProgress } from '../../../src/lab/contract/training.ts';
import { OtherTabs } from '../../../src/lab/train/other-tabs.ts';
import { tinyWeights } from '../../learn/rl/helpers.ts';
import { TabLocks } from '../models/checkpoints/tab-locks.ts';
import { MemoryBlobs } from '../storage/memory-blobs.ts';

const channels: BroadcastChannel[] = [];
let browsers = 0;

beforeEach(() => {
  const storage = { estimate: async () => ({ usage: 1, quota: 2 }), persisted: async () => false };
  vi.stubGlobal('navigator', { hardwareConcurrency: 1, storage });
});
afterEach(() => {
  vi.unstubAllGlobals();
  channels.splice(0).forEach((channel) => channel.close());
});

/** A policy whose engines load for as long as the run is not stopped. */
const POLICY = {
  startEngines: ({ signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  policies: () => Promise.resolve([]),
  policy: async () => ({ id: 'tiny', revision: '0', config: tinyWeights().config, stored: 'f16' }),
  world: async () => ({ seed: 1, questions: [] }),
} as unknown as Pick<HostParts, 'startEngines' | 'policies' | 'policy' | 'world' | 'helper'>;

const checkFiles = (): void => undefined;

/** Tabs of one browser: one storage, one set of locks, channels of their own. */
const browser = () => {
  const name = `training-test-${++browsers}`;
  const locks = new TabLocks();
  const database = new ForageDatabase(name, { indexedDB: new IDBFactory(), IDBKeyRange });
  const store = new RunStore(database, new MemoryBlobs());
  const tab = () => {
    const channel = new BroadcastChannel(name);
    const orders = new BroadcastChannel(`${name}-orders`);
    channels.push(channel, orders);
    const told: TrainMessage[] = [];
    const host = new TrainingHost({ ...POLICY, checkFiles, store, locks, channel, orders });
    const run = (): RunRecord | undefined =>
      told.findLast((message) => message.type === 'run')?.run;
    const progress = (): TrainProgress | undefined =>
      told.findLast((message) => message.type === 'progress')?.progress;
    const here = () => told.findLast((message) => message.type === 'here')?.runId;
    return {
      host,
      run,
      progress,
      here,
      open: async () => {
        await host.listen((messages) => told.push(...messages));
        return host.runs();
      },
      close: () => [channel, orders].forEach((one) => one.close()),
    };
  };
  const start = async (host: TrainingHost) =>
    (await host.create(getTraining('search/grpo'), 'mine', 'wasm', BUILT_IN_SETUP)).id;
  return { locks, store, tab, start };
};

describe('a run that trains in another tab', () => {
  it('is told from one that trains here', async () => {
    const { tab, start } = browser();
    const [a, b] = [tab(), tab()];
    await a.open();
    const id = await start(a.host);
    expect(a.here()).toBe(id);
    expect((await b.open()).map(({ status }) => status)).toEqual(['running']);
    expect(b.here()).toBeNull();
  });

  it('pauses there when it is asked to here, and both say so', async () => {
    const { tab, start } = browser();
    const [a, b] = [tab(), tab()];
    await a.open();
    const id = await start(a.host);
    await b.open();
    await b.host.pause(id);
    expect(a.progress()).toMatchObject({ runId: id, pausing: true, status: 'running' });
    await expect.poll(() => b.progress()?.pausing).toBe(true);
  });

  it('stops there when it is asked to here, with the record that the other tab leaves', async () => {
    const { tab, start, store } = browser();
    const [a, b] = [tab(), tab()];
    await a.open();
    const id = await start(a.host);
    await b.open();
    await b.host.stop(id, true);
    expect((await store.run(id)).status).toBe('stopped');
    await expect.poll(() => b.run()?.status).toBe('stopped');
    expect(a.here()).toBeNull();
    // Nothing trains any more, so this tab may.
    await b.host.resume(id);
    expect(b.here()).toBe(id);
  });

  it.each([
    [3, 3, '“Resume after step 3” continues from there.'],
    [1200, 1198, '“Resume after step 1,200” continues from the snapshot of step 1198.'],
    [2, null, 'before the first snapshot. “Resume after step 2” starts from the beginning.'],
    [0, 0, 'The tab was closed before the first step. “Go on” continues with what was made before'],
  ])(
    'names the button of the page, killed after step %s with a snapshot of %s',
    async (step, checkpointStep, words) => {
      const { tab, start, store, locks } = browser();
      const [a, b] = [tab(), tab()];
      await a.open();
      const id = await start(a.host);
      a.close();
      await store.put({ ...(await store.run(id)), step, checkpointStep });
      locks.drop(`forage-run-${id}`);
      const [run] = await b.open();
      expect(run).toMatchObject({ status: 'paused' });
      expect(run?.notice).toContain(words);
    },
  );

  it('is paused at its last snapshot as soon as that tab is gone', async () => {
    const { tab, start, store, locks } = browser();
    const [a, b] = [tab(), tab()];
    await a.open();
    const id = await start(a.host);
    await b.open();
    a.close();
    locks.drop(`forage-run-${id}`);
    await expect.poll(() => b.run()?.status).toBe('paused');
    expect(b.run()?.notice).toMatch(
      /^The tab was closed before the first snapshot\. “Start again” starts/u,
    );
    expect((await store.run(id)).status).toBe('paused');
    await b.host.resume(id);
    expect(b.run()?.status).toBe('running');
  });

  it('is not taken for interrupted when it ends by itself', async () => {
    const { tab, start } = browser();
    const [a, b] = [tab(), tab()];
    await a.open();
    const id = await start(a.host);
    await b.open();
    await a.host.stop(id, true);
    await expect.poll(() => b.run()?.status).toBe('stopped');
    expect(b.run()?.notice).toBeNull();
  });
});

describe('a tab that trains and does not answer', () => {
  /** @param obey what it does with orders; it trains nothing by default */
  const tabOf = (
    name: string,
    locks: TabLocks,
    obey: () => Promise<void> | null = () => null,
  ): OtherTabs => {
    const channel = new BroadcastChannel(name);
    channels.push(channel);
    return new OtherTabs({ channel, locks, obey, freed: async () => undefined, answerMs: 40 });
  };
  /** Locks of which one is held for good. */
  const training = (): TabLocks => {
    const locks = new TabLocks();
    void locks.request('forage-run-x', () => new Promise(() => undefined));
    return locks;
  };

  it('is said, with what to do', async () => {
    const asked = tabOf('frozen-test', training()).order('x', { do: 'pause' });
    await expect(asked).rejects.toThrow(/does not answer.*Bring it to the front/);
  });

  it('is waited for once it has begun', async () => {
    const locks = training();
    let done = (): void => undefined;
    const obeyed = new Promise<void>((resolve) => (done = resolve));
    tabOf('slow-test', locks, () => obeyed);
    const asked = tabOf('slow-test', locks).order('x', { do: 'stop', keep: true });
    setTimeout(done, 120);
    expect(await asked).toBe(true);
  });

  it('is not waited for when it dies', async () => {
    const locks = training();
    tabOf('dying-test', locks, () => new Promise(() => undefined));
    const asked = tabOf('dying-test', locks).order('x', { do: 'stop', keep: true });
    setTimeout(() => locks.drop('forage-run-x'), 120);
    expect(await asked).toBe(false);
  });
});
