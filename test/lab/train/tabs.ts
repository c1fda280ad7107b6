import { readFile } from 'node:fs/promises';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { vi } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import type { TrainMessage } from '../../../src/lab/contract/training.ts';
import { WorkerLost } from '../../../src/lab/contract/failures.ts';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import { TrainingHost, type HostParts } from '../../../src/lab/train/host.ts';
import type { TrainEngines } from '../../../src/lab/train/engines.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import { TrainReplica } from '../../../src/learn/replicas/replica.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { createLoraTrainer } from '../../policy/create-lora-trainer.ts';
import { createPolicy } from '../../../src/policy/open/load.ts';
import type { PolicyPool } from '../../../src/policy/serving/pool.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import { tokenizer } from '../../agent/tokenizer.ts';
import { tinySettings, tinyWeights } from '../../learn/rl/helpers.ts';
import { TabLocks } from '../models/checkpoints/tab-locks.ts';
import { MemoryBlobs } from '../storage/memory-blobs.ts';

/**
 * Tabs of one browser that train: the host of the page with its storage over engine, kernels, loop and world, of
 * which the policy alone is smaller. What is not here is the worker around the engine.
 */

const PUBLIC = new URL('../../../public/', import.meta.url);

const TINY = { weights: tinyWeights(), revision: '0' };

/** A policy and the built-in world, read once for all tabs of a file. */
export const openTrainingParts = async ({ weights, revision } = TINY) => {
  const files = new URL('world/', PUBLIC);
  const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, files));
  const loaded = await loadWorld(fetchFile);
  const ofSplit = (split: string) => loaded.questions.filter((one) => one.split === split);
  return {
    weights,
    revision,
    world: {
      seed: loaded.manifest.seed,
      questions: [...ofSplit('train').slice(0, 20), ...ofSplit('dev').slice(0, 4)],
      retriever: openWorldRetriever(loaded, fetchFile),
      router: createRouter(),
    },
  };
};
type TrainingParts = Awaited<ReturnType<typeof openTrainingParts>>;

/** A step of a question and two rollouts, short ones; their reward is by length, so it varies. */
export const shortRun = (change: Partial<TrainSettings> = {}): TrainSettings =>
  tinySettings({
    questions: 1,
    groupSize: 3,
    heldOut: { questions: 0, every: 1, temperature: 0.3 },
    ...change,
  });

const forever = <T>(): Promise<T> => new Promise(() => undefined);

/** Blobs as a tab reaches them, which dies in the middle of a write. */
class BlobsOfTab extends MemoryBlobs {
  /** Writes before that one. */
  writesLeft = Infinity;
  readonly #disk: MemoryBlobs;
  readonly #die: () => void;

  constructor(disk: MemoryBlobs, die: () => void) {
    super();
    this.#disk = disk;
    this.#die = die;
  }

  override async write(path: string, bytes: Uint8Array): Promise<void> {
    if (this.writesLeft-- > 0) return this.#disk.write(path, bytes);
    await this.#disk.write(path, bytes.slice(0, bytes.length / 2));
    this.#die();
    return forever();
  }

  override read = (path: string) => this.#disk.read(path);
  override remove = (path: string) => this.#disk.remove(path);
  override list = (folder: string) => this.#disk.list(folder);
}

/** What a tab reaches as long as it lives: once it is dead it writes nothing, and nothing answers it. */
const whileAlive = <T extends object>(of: T, isDead: () => boolean): T =>
  new Proxy(of, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown =>
        isDead() ? forever() : Reflect.apply(value, target, args);
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });

const browsers: { close: () => Promise<void> }[] = [];

/** To be called after each test; waits for what still trains. */
export const closeBrowsers = async (): Promise<void> => {
  await Promise.all(browsers.splice(0).map((one) => one.close()));
  vi.unstubAllGlobals();
};

/** Storage and locks of a browser, and tabs that share them. */
export const openBrowser = ({ weights, revision, world }: TrainingParts) => {
  const storage = { estimate: async () => ({ usage: 1, quota: 2 }), persisted: async () => false };
  vi.stubGlobal('navigator', { hardwareConcurrency: 1, storage });
  const name = `training-${crypto.randomUUID()}`;
  const locks = new TabLocks();
  const disk = new MemoryBlobs();
  const database = new ForageDatabase(name, { indexedDB: new IDBFactory(), IDBKeyRange });
  /** What every tab reads. */
  const store = new RunStore(database, disk);
  const channels: BroadcastChannel[] = [];
  const close = async (): Promise<void> => {
    const until = Date.now() + 5000;
    const held = async () => (await locks.query()).held?.length ?? 0;
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    while ((await held()) > 0 && Date.now() < until) await turn();
    // Who let go of its lock tells how the run ended.
    await turn();
    channels.forEach((channel) => channel.close());
  };
  browsers.push({ close });

  /** Loses the engine that trains now, as a worker that ended. */
  let lose = (_reason: string): void => undefined;
  let started = 0;
  const startEngines: HostParts['startEngines'] = async ({ adapter, onLost }) => {
    started++;
    const policy = await createPolicy(
      weights,
      tokenizer,
      { id: 'tiny', revision, dtype: 'f32' },
      { device: 'wasm', maxSlots: 16 },
    );
    const length = Math.min(1024, weights.config.maxPositions);
    const limits = { maxTokens: 2 * length, maxLength: length };
    const trainer = await createLoraTrainer(weights, adapter, limits, 'wasm');
    const learner = new PolicyLearner([new TrainReplica(trainer)]);
    lose = (reason) => onLost(new WorkerLost('training', reason));
    return {
      policy: policy as unknown as PolicyPool,
      learner,
      config: weights.config,
      info: policy.info,
      terminate: () => {
        policy.dispose();
        void learner.close();
      },
    } satisfies TrainEngines;
  };

  const tab = () => {
    let dead = false;
    let died = (): void => undefined;
    const death = new Promise<void>((resolve) => (died = resolve));
    const isDead = () => dead;
    const own: BroadcastChannel[] = [];
    const die = (): void => {
      dead = true;
      own.forEach((channel) => channel.close());
      died();
    };
    const channelOf = (called: string): BroadcastChannel => {
      const channel = new BroadcastChannel(called);
      channels.push(channel);
      own.push(channel);
      return whileAlive(channel, isDead);
    };
    const blobs = new BlobsOfTab(disk, die);
    const told: TrainMessage[] = [];
    const host = new TrainingHost({
      store: whileAlive(new RunStore(database, blobs), isDead),
      locks,
      channel: channelOf(name),
      orders: channelOf(`${name}-orders`),
      startEngines,
      checkFiles: () => undefined,
      policies: () => Promise.resolve([BUILT_IN_SETUP.policy]),
      policy: () =>
        Promise.resolve({
          id: 'tiny',
          revision,
          config: weights.config,
          stored: 'f16',
          engines: 1,
          open: () => Promise.reject(new Error('its files were asked for')),
        }),
      world: () => Promise.resolve(world),
      helper: () => Promise.reject(new Error('a helper was asked for')),
    });
    return {
      host,
      told,
      blobs,
      /** Resolves when it died in the middle of a write. */
      death,
      /** Opens it, as its page does. */
      open: async (): Promise<RunRecord[]> => {
        await host.listen((messages) => told.push(...messages));
        return host.runs();
      },
      /** The browser frees what it held. */
      kill: (id: string) => {
        die();
        locks.drop(`forage-run-${id}`);
      },
    };
  };
  const statusOf = async (id: string) => (await store.run(id)).status;
  return {
    store,
    disk,
    tab,
    statusOf,
    /** Engines that were started so far. */
    started: () => started,
    lose: (reason: string) => lose(reason),
  };
};
