import {
  connectReplica,
  type FromReplica,
  type RemoteReplica,
  type ToReplica,
} from '../../learn/replicas/replica-channel.ts';
import { PolicyLearner } from '../../learn/replicas/learner.ts';
import { connectPolicy, type RemotePolicy } from '../../policy/serving/connect.ts';
import type { Channel } from '../../policy/serving/messages.ts';
import { PolicyPool } from '../../policy/serving/pool.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { Policy, PolicyChat, PolicyInfo, PolicyTokenizer } from '../../policy/policy.ts';
import type { StoreType } from '../../policy/ops/values.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { Checkpoint, PolicyWorkerApi } from '../contract/policy.ts';
import {
  factsOf,
  holdUntil,
  type CheckpointSource,
  type OpenStored,
} from '../models/serving/checkpoint-source.ts';
import { chooseDevice } from '../models/serving/device.ts';
import { WorkerLost, workerGone } from '../contract/failures.ts';
import { startWorker, type StartedWorker } from '../rpc/worker.ts';
import type { WorkerFactory } from '../workers/workers.ts';

/**
 * Workers of a training run, apart from those of the page's own questions: each holds a sampler and
 * a replica of the learner over the same frozen weights.
 */
export interface TrainEngines {
  policy: PolicyPool;
  learner: PolicyLearner;
  /** Its shape. */
  config: PolicyConfig;
  info: PolicyInfo;
  terminate(): void;
}

/** What rollouts and updates are computed with. */
export type RunEngines = Pick<TrainEngines, 'learner' | 'config'> & { policy: Policy };

export interface EngineOptions {
  workers: WorkerFactory;
  source: CheckpointSource;
  open: OpenStored;
  device: 'wasm' | 'webgpu';
  /** What keys and values are held in; by default, as the checkpoint says. */
  keys?: StoreType;
  adapter: LoraSpec;
  /** Ends the start. */
  signal: AbortSignal;
  /** Told once, when a worker ended without being asked to; calls then reject with the same error. */
  onLost: (error: WorkerLost) => void;
}

class Engine {
  readonly #worker: StartedWorker<PolicyWorkerApi>;
  #policy: RemotePolicy | null = null;
  #replica: RemoteReplica | null = null;
  readonly #onLost: (error: WorkerLost) => void;

  constructor({ policy: create, locks }: WorkerFactory, onLost: (error: WorkerLost) => void) {
    this.#onLost = onLost;
    this.#worker = startWorker<PolicyWorkerApi>({ name: 'training', create, locks, onLost });
  }

  async start(
    checkpoint: Checkpoint,
    { device, keys, adapter }: EngineOptions,
    { tokenizer, chat }: { tokenizer: PolicyTokenizer; chat?: PolicyChat },
  ): Promise<{ policy: RemotePolicy; replica: RemoteReplica }> {
    const [sampling, training] = [new MessageChannel(), new MessageChannel()];
    const held = 'stored' in checkpoint && keys ? { ...checkpoint, keys } : checkpoint;
    await this.#worker.api.load(held, device, sampling.port2);
    await this.#worker.api.train(adapter, training.port2);
    const near: Channel<FromReplica, ToReplica> = training.port1;
    const connected = Promise.all([
      connectPolicy(sampling.port1, tokenizer, {
        chat,
        onGone: (error) => this.#onLost(workerGone('training', error)),
      }),
      connectReplica(near),
    ]);
    const [policy, replica] = await connected;
    [this.#policy, this.#replica] = [policy, replica];
    return { policy, replica };
  }

  end(reason: Error): void {
    this.#worker.terminate();
    this.#policy?.lost(reason);
    this.#replica?.lost(reason);
  }
}

/** @throws WorkerLost, MissingFile, or the signal's reason */
export async function startEngines(options: EngineOptions): Promise<TrainEngines> {
  const { workers, source, device, signal } = options;
  const engines: Engine[] = [];
  const ended = new AbortController();
  const end = (reason: Error): void => {
    if (ended.signal.aborted) return;
    ended.abort(reason);
    for (const engine of engines) engine.end(reason);
  };
  const lose = (error: WorkerLost): void => {
    if (ended.signal.aborted) return;
    end(error);
    options.onLost(error);
  };
  const stop = (): void => end(new WorkerLost('training', 'it was stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const chosen = await chooseDevice(device, navigator.gpu, navigator.hardwareConcurrency);
    // The trainer reads layers of it for as long as it trains.
    await holdUntil(ended.signal, source);
    const checkpoint = await source.get(() => undefined, ended.signal);
    const reader = await source.reader(checkpoint);
    ended.signal.throwIfAborted();
    for (let i = 0; i < chosen.engines; i++) engines.push(new Engine(workers, lose));
    const started = await Promise.all(
      engines.map((engine) => engine.start(checkpoint, options, reader)),
    );
    const policy = new PolicyPool(started.map((engine) => engine.policy));
    const { config } = await factsOf(checkpoint, options.open);
    ended.signal.throwIfAborted();
    return {
      policy,
      learner: new PolicyLearner(started.map((engine) => engine.replica)),
      config,
      info: policy.info,
      terminate: stop,
    };
  } catch (error) {
    // What was ended ended for its own reason; what failed by itself says why.
    const reason =
      ended.signal.aborted && !(error instanceof WorkerLost) ? ended.signal.reason : error;
    stop();
    throw reason;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
