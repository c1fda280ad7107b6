import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { servePolicy } from '../../../../src/policy/serving/serve.ts';
import { loadPolicy } from '../../../../src/policy/open/load.ts';
import { CheckpointsHost } from '../../../../src/lab/models/checkpoints/host.ts';
import { READING } from '../../../../src/lab/models/checkpoints/locks.ts';
import {
  loadOptions,
  storedCheckpoint,
} from '../../../../src/lab/models/serving/checkpoint-source.ts';
import { PartTracker } from '../../../../src/lab/workers/part-tracker.ts';
import { PolicyLoader } from '../../../../src/lab/models/serving/policy-loader.ts';
import type { Checkpoint, PolicyWorkerApi } from '../../../../src/lab/contract/policy.ts';
import type { WorkerLike } from '../../../../src/lab/rpc/life.ts';
import { startEngines } from '../../../../src/lab/train/engines.ts';
import { keysOn, policyFacts } from '../../../../src/lab/models/serving/policy-facts.ts';
import { writeRandomCheckpoint } from '../../../policy/checkpoint/random-checkpoint.ts';
import { makeBench, WEB } from '../checkpoints/bench.ts';
import { TabLocks } from '../checkpoints/tab-locks.ts';
import { inProcessWorker } from '../../rpc/in-process.ts';

vi.setConfig({ testTimeout: 60_000 });

const endings: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  for (const end of endings.splice(0)) end();
});

const LONG_AGO = '2020-01-01T00:00:00.000Z';

/** A browser with one checkpoint stored, and what uses it. */
async function browser() {
  vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'forage-holding-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
  writeRandomCheckpoint(folder, 'qwen');
  const names = readdirSync(folder);
  const bench = await makeBench(
    new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))])),
  );
  const locks = new TabLocks();
  const { store } = bench;
  const tab = () => {
    const channel = new BroadcastChannel('holding-test');
    endings.push(() => channel.close());
    const free = () => Promise.resolve(null);
    return new CheckpointsHost({ store: bench.reopened(), web: WEB, locks, channel, free });
  };
  const plan = await tab().plan({ kind: 'named', text: 'forage/tiny', hub: bench.hub.url });
  if (plan.status !== 'ready') throw new Error(JSON.stringify(plan));
  const { id } = await store.create(plan.value.plan, 'tiny');
  await bench.run(id);
  const open = (stored: string) => store.open(stored);
  const held = async () =>
    ((await locks.query()).held ?? []).filter(({ name }) => name === READING + id).length;
  /** Deleted long ago; another tab clears up, as each does when it is opened. */
  const deleteForGood = async () => {
    await store.change(id, { deletedAt: LONG_AGO });
    await tab().list();
    return (await bench.files.size(`checkpoints/${id}/config.json`)) === null;
  };

  /** A worker's script in this thread; it takes no lock of its own, so that the lab's is what counts. */
  const policy = (life: string): WorkerLike => {
    const api: PolicyWorkerApi = {
      load: async (checkpoint, device, port) =>
        servePolicy(await loadPolicy({ ...(await loadOptions(checkpoint, open)), device }), port),
      train: () => Promise.reject(new Error('it does not train')),
      agreement: () => Promise.reject(new Error('it compares nothing')),
      measure: () => Promise.reject(new Error('it measures nothing')),
    };
    const { worker, close } = inProcessWorker(api, life, locks);
    endings.push(close);
    return worker;
  };
  const none = (): never => {
    throw new Error('no such worker here');
  };
  const workers = { policy, retrieval: none, webllm: none, locks };
  return { id, store, locks, open, held, deleteForGood, workers };
}

/** What loads the stored checkpoint as a policy. */
const loaderOf = ({
  id,
  store,
  locks,
  workers,
}: Pick<Awaited<ReturnType<typeof browser>>, 'id' | 'store' | 'locks' | 'workers'>): PolicyLoader =>
  new PolicyLoader({
    workers,
    tracker: new PartTracker(() => undefined),
    checkpoint: () => storedCheckpoint(store, id, locks),
    onSampled: () => undefined,
    onReady: () => undefined,
    onFailed: () => undefined,
  });

it('a checkpoint in use stays when it is deleted for good, until another policy is chosen', async () => {
  const { id, store, locks, held, deleteForGood, workers } = await browser();
  const loader = loaderOf({ id, store, locks, workers });
  loader.want({ kind: 'checkpoint', id }, 'wasm');
  loader.load();
  const { policy } = (await loader.loading)!;
  expect(await held()).toBe(1);
  expect(await deleteForGood()).toBe(false);
  // Layers are read again.
  await policy.setAdapter?.(null);
  loader.want({ kind: 'built-in' }, 'wasm');
  await expect.poll(held).toBe(0);
  expect(await deleteForGood()).toBe(true);
});

it('a policy that was replaced while it loaded lets go as well', async () => {
  const { id, store, locks, held, workers } = await browser();
  const loader = loaderOf({ id, store, locks, workers });
  loader.want({ kind: 'checkpoint', id }, 'wasm');
  loader.load();
  const { loading } = loader;
  loader.want({ kind: 'built-in' }, 'wasm');
  await expect(loading).rejects.toThrow('stopped');
  await expect.poll(held).toBe(0);
});

it('what it is held in changes its revision, and it is loaded again', async () => {
  const { id, store, locks, workers } = await browser();
  const loader = loaderOf({ id, store, locks, workers });
  loader.want({ kind: 'checkpoint', id }, 'wasm');
  const loaded = async () => {
    loader.load();
    return (await loader.loading)?.policy.info;
  };
  const plain = await loaded();
  expect(plain?.onDevice).toBe('f32');
  await store.change(id, { weights: 'int4' });
  loader.changed('another', false);
  expect(await loaded()).toBe(plain);
  // A run continues with what it began with.
  loader.changed(id, true);
  expect(await loaded()).toBe(plain);
  loader.want({ kind: 'checkpoint', id }, 'wasm');
  expect(await loaded()).toMatchObject({
    id: plain?.id,
    revision: `${plain?.revision}+int4`,
    onDevice: 'int4',
  });
  loader.want({ kind: 'built-in' }, 'wasm');
});

it('what it is held in is changed where nothing runs: it is loaded again without being chosen again', async () => {
  const { id, store, locks, workers } = await browser();
  const loader = loaderOf({ id, store, locks, workers });
  loader.want({ kind: 'checkpoint', id }, 'wasm');
  const loaded = async () => {
    loader.load();
    return (await loader.loading)?.policy.info.onDevice;
  };
  expect(await loaded()).toBe('f32');
  await store.change(id, { weights: 'int4' });
  loader.changed(id, false);
  expect(await loaded()).toBe('int4');
  await store.change(id, { weights: undefined });
  loader.changed(id, false);
  expect(await loaded()).toBe('f32');
  loader.want({ kind: 'built-in' }, 'wasm');
});

it('the precision of its KV cache does not change the revision, and a run continues with its own', async () => {
  const { id, store, locks, open, workers } = await browser();
  const source = storedCheckpoint(store, id, locks);
  const loads: Checkpoint[] = [];
  const never = () => Promise.reject(new Error('it only loads'));
  const load: PolicyWorkerApi['load'] = (checkpoint) => {
    loads.push(checkpoint);
    return never();
  };
  const policy = (life: string): WorkerLike => {
    const api: PolicyWorkerApi = { load, train: never, agreement: never, measure: never };
    const { worker, close } = inProcessWorker(api, life, locks);
    endings.push(close);
    return worker;
  };
  const asked = async (keys?: 'f32' | 'f16') => {
    const started = startEngines({
      workers: { ...workers, policy },
      source,
      open,
      device: 'wasm',
      keys,
      adapter: { rank: 1, alpha: 1, targets: ['q_proj'] },
      signal: new AbortController().signal,
      onLost: () => undefined,
    });
    await expect(started).rejects.toThrow('it only loads');
    const last = loads.at(-1);
    if (!last || !('stored' in last)) throw new Error('nothing was loaded');
    return last;
  };
  const plain = await asked();
  expect(plain.keys).toBeUndefined();
  await store.change(id, { keys: 'f16' });
  expect(await asked()).toEqual({ ...plain, keys: 'f16' });
  expect(await asked('f32')).toEqual({ ...plain, keys: 'f32' });
  const facts = await policyFacts(source, open);
  expect(keysOn('wasm', facts)).toBe('f16');
  await store.change(id, { keys: undefined });
  // Its contexts are small.
  expect(keysOn('webgpu', await policyFacts(source, open))).toBe('f32');
});

it('training holds it from the start, and lets go where the start fails', async () => {
  const { id, store, locks, open, held, workers } = await browser();
  const source = storedCheckpoint(store, id, locks);
  let during = 0;
  const started = startEngines({
    workers: {
      ...workers,
      policy: (life) => {
        void held().then((count) => (during = count));
        return workers.policy(life);
      },
    },
    source,
    open,
    device: 'wasm',
    adapter: { rank: 2, alpha: 4, targets: ['q_proj'] },
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  await expect(started).rejects.toThrow('it does not train');
  expect(during).toBe(1);
  await expect.poll(held).toBe(0);
});

it('facts of it hold it while they are read, and its files until they are released', async () => {
  const { id, store, locks, open, held, deleteForGood } = await browser();
  const facts = await policyFacts(storedCheckpoint(store, id, locks), open);
  expect(await held()).toBe(0);
  const { files, release } = await facts.open();
  expect(await deleteForGood()).toBe(false);
  expect(await files.size('config.json')).toBeGreaterThan(0);
  release();
  expect(await deleteForGood()).toBe(true);
  await expect(facts.open()).rejects.toThrow('There is no checkpoint');
});
