import type {
  Checkpoint,
  DeviceFacts,
  EngineDevice,
  PolicyTrials,
  PolicyWorkerApi,
} from '../../contract/policy.ts';
import { connectPolicy, type Gone, type RemotePolicy } from '../../../policy/serving/connect.ts';
import { PolicyPool } from '../../../policy/serving/pool.ts';
import type { Policy, PolicyChat, PolicyTokenizer } from '../../../policy/policy.ts';
import { holdUntil, type CheckpointSource } from './checkpoint-source.ts';
import { chooseDevice, enginesName } from './device.ts';
import { WorkerLost, workerGone } from '../../contract/failures.ts';
import { NO_BYTES } from '../../contract/progress.ts';
import type { PartTracker } from '../../workers/part-tracker.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import { startWorker, type StartedWorker } from '../../rpc/worker.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

/** Starts the policy: its checkpoint in one worker an engine, all of them as one pool. */

export interface LoadedPolicy {
  policy: Policy;
  device: DeviceFacts;
  /** Absent of what runs elsewhere, or in another engine. */
  trials?: PolicyTrials;
}

/** One policy worker, and the policy in it once it is loaded. */
class Engine {
  readonly #worker: StartedWorker<PolicyWorkerApi>;
  readonly #onLost: (error: WorkerLost) => void;
  #policy: RemotePolicy | null = null;

  constructor(workers: WorkerFactory, onLost: (error: WorkerLost) => void) {
    this.#onLost = onLost;
    const { policy: create, locks } = workers;
    this.#worker = startWorker<PolicyWorkerApi>({ name: 'policy', create, locks, onLost });
  }

  /** Resolves with the end of the channel that the policy is served at. */
  async load(checkpoint: Checkpoint, device: EngineDevice): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await this.#worker.api.load(checkpoint, device, port2);
    return port1;
  }

  async connect(
    port: MessagePort,
    tokenizer: PolicyTokenizer,
    onSampled: (count: number) => void,
    chat: PolicyChat | undefined,
  ): Promise<RemotePolicy> {
    const onGone = (error: Gone): void => this.#onLost(workerGone('policy', error));
    this.#policy = await connectPolicy(port, tokenizer, { onSampled, chat, onGone });
    return this.#policy;
  }

  /** One engine stands for all: they are alike. */
  get trials(): PolicyTrials {
    return this.#worker.api;
  }

  end(reason: Error): void {
    this.#worker.terminate();
    this.#policy?.lost(reason);
  }
}

export const startPolicy = async (options: {
  workers: WorkerFactory;
  source: CheckpointSource;
  device: DeviceChoice;
  tracker: Pick<PartTracker, 'loading'>;
  onSampled: (count: number) => void;
  /** Told when a further engine has been started. */
  onEngines?: ((device: DeviceFacts) => void) | undefined;
  /** Told once, when one of the workers ended without being asked to; the others are ended then. */
  onLost: (error: WorkerLost) => void;
  /** Handed out at once, so that a load under way can be ended. */
  onStarted(terminate: () => void): void;
}): Promise<LoadedPolicy> => {
  const { workers, tracker, onSampled } = options;
  const ended = new AbortController();
  const engines: Engine[] = [];
  const end = (reason: Error): void => {
    if (ended.signal.aborted) return;
    ended.abort(reason);
    for (const engine of engines) engine.end(reason);
  };
  options.onStarted(() => end(new WorkerLost('policy', 'it was stopped')));
  const lose = (error: WorkerLost): void => {
    if (ended.signal.aborted) return;
    end(error);
    options.onLost(error);
  };
  tracker.loading('policy', 'choosing the device');
  try {
    const device = await chooseDevice(options.device, navigator.gpu, navigator.hardwareConcurrency);
    ended.signal.throwIfAborted();
    for (let i = 0; i < device.engines; i++) engines.push(new Engine(workers, lose));
    // Its workers hold it too, but only from when they read it.
    await holdUntil(ended.signal, options.source);
    const checkpoint = await options.source.get((bytes) => {
      if (!ended.signal.aborted) tracker.loading('policy', 'fetching', bytes);
    }, ended.signal);
    tracker.loading('policy', 'reading the tokenizer', NO_BYTES);
    const { tokenizer, chat } = await options.source.reader(checkpoint);
    tracker.loading('policy', `starting ${device.facts.device}`, NO_BYTES);
    const start = async (engine: Engine): Promise<RemotePolicy> => {
      const port = await engine.load(checkpoint, device.facts.device);
      return engine.connect(port, tokenizer, onSampled, chat);
    };
    const [first, ...others] = engines;
    if (!first) throw new Error('the device has no engine');
    let started = 1;
    const factsNow = (): DeviceFacts =>
      others.length === 0
        ? device.facts
        : { ...device.facts, adapter: enginesName(started, device.engines) };
    // One rollout needs one engine: compiling and reading the weights once more would only delay it.
    const later = others.map((engine) => async () => {
      const further = await start(engine);
      started++;
      options.onEngines?.(factsNow());
      return further;
    });
    const policy = new PolicyPool([await start(first)], later);
    ended.signal.throwIfAborted();
    return { policy, device: factsNow(), trials: first.trials };
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  }
};
