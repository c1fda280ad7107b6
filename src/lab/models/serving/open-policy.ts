import type { PolicyRef, Resources } from '../../../records/setup.ts';
import { EndpointBackend } from '../../../policy/remote/endpoint/backend.ts';
import { EndpointClient, endpointTextModel } from '../../../policy/remote/endpoint/client.ts';
import { engineTextModel } from '../../../policy/open/engine-text-model.ts';
import { TextPolicy } from '../../../policy/remote/text-policy.ts';
import type { TextBackend } from '../../../policy/remote/text-backend.ts';
import type { TextModel } from '../../../policy/text-model.ts';
import { openWebLlm, webLlmProblem } from '../../../policy/remote/webllm/start.ts';
import { type CheckpointSource, holdUntil } from './checkpoint-source.ts';
import { WorkerLost, workerGone } from '../../contract/failures.ts';
import type {
  DeviceFacts,
  Checkpoint,
  EngineDevice,
  PolicyTrials,
  PolicyWorkerApi,
} from '../../contract/policy.ts';
import type { PartTracker } from '../../workers/part-tracker.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import { newLife, watchLife } from '../../rpc/life.ts';
import type { WorkerFactory } from '../../workers/workers.ts';
import { connectPolicy, type Gone, type RemotePolicy } from '../../../policy/serving/connect.ts';
import { PolicyPool } from '../../../policy/serving/pool.ts';
import type { Policy, PolicyChat, PolicyTokenizer } from '../../../policy/policy.ts';
import { chooseDevice, enginesName } from './device.ts';
import { NO_BYTES } from '../../contract/progress.ts';
import { startWorker, type StartedWorker } from '../../rpc/worker.ts';

/** Starts the policy: its checkpoint in one worker an engine, all of them as one pool. */

interface LoadedPolicy {
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

const startPolicy = async (options: {
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

/** Opens whatever a `PolicyRef` names. */

export interface OpenPolicyOptions {
  ref: PolicyRef;
  workers: WorkerFactory;
  device: DeviceChoice;
  tracker: Pick<PartTracker, 'loading'>;
  resources: Resources;
  /** API key of an endpoint; empty where it has none. */
  keyOf: (endpoint: string) => string;
  /** The built-in checkpoint, or one of this device. */
  checkpoint: (ref: PolicyRef & { kind: 'built-in' | 'checkpoint' }) => CheckpointSource;
  onSampled: (count: number) => void;
  /** Told when a further engine has been started. */
  onEngines?: (device: DeviceFacts) => void;
  onLost: (error: WorkerLost | Error) => void;
  onStarted: (terminate: () => void) => void;
}

/** A policy, and what it can do besides: judge and summarize. */
export interface OpenedPolicy extends LoadedPolicy {
  /** @throws Error where it cannot be asked for text */
  textModel(): TextModel;
}

const counted = (backend: TextBackend, onSampled: (count: number) => void): TextBackend => ({
  info: backend.info,
  turns: backend.turns,
  async *stream(request) {
    for await (const chunk of backend.stream(request)) {
      if (chunk.text !== '') onSampled(1);
      yield chunk;
    }
  },
  dispose: () => backend.dispose?.(),
});

/** The endpoint's client; it holds no connection while nothing is asked. */
function endpointClient(
  id: string,
  { resources, keyOf }: Pick<OpenPolicyOptions, 'resources' | 'keyOf'>,
) {
  const endpoint = resources.endpoints.find((entry) => entry.id === id);
  if (!endpoint)
    throw new Error('This server is not in the list any more; add it again on the Models page.');
  const { url, model } = endpoint;
  return { endpoint, client: new EndpointClient({ url, model, key: () => keyOf(id) }) };
}

function openEndpoint(id: string, options: OpenPolicyOptions): OpenedPolicy {
  const { endpoint, client } = endpointClient(id, options);
  const backend = counted(new EndpointBackend(endpoint, client), options.onSampled);
  const device: DeviceFacts = {
    device: 'server',
    adapter: new URL(endpoint.url).host,
    fallback: false,
  };
  const name = `${endpoint.model} at ${device.adapter}`;
  return {
    policy: new TextPolicy(backend),
    device,
    textModel: () => endpointTextModel(client, name),
  };
}

/** The library is six megabytes of script, which may come over a slow line. */
const WEBLLM_START_MS = 120_000;

async function openInWebLlm(id: string, options: OpenPolicyOptions): Promise<OpenedPolicy> {
  const { workers, tracker, resources, onStarted, onSampled } = options;
  tracker.loading('policy', `WebLLM: ${id}`, { share: 0 });
  const abort = new AbortController();
  // Ends what is under way too; before there is a worker, nothing but the wait for it.
  onStarted(() => abort.abort(new Error('the WebLLM model was closed')));
  const problem = await webLlmProblem(navigator.gpu);
  if (problem !== null) throw new Error(problem);
  abort.signal.throwIfAborted();
  const life = newLife('webllm');
  const worker = workers.webllm(life);
  const gone = new Promise<Error>((resolve) =>
    watchLife(worker, { life, locks: workers.locks, startMs: WEBLLM_START_MS }, (reason) =>
      resolve(new WorkerLost('WebLLM', reason)),
    ),
  );
  const backend = await openWebLlm({
    id,
    worker,
    gone,
    custom: resources.webllm,
    // Fields that are absent, not undefined.
    mirror: {
      ...(resources.mirror.weights !== undefined && { weights: resources.mirror.weights }),
      ...(resources.mirror.libraries !== undefined && { libraries: resources.mirror.libraries }),
    },
    onProgress: ({ share, text }) => tracker.loading('policy', text, { share }),
    onLost: options.onLost,
    signal: abort.signal,
  }).catch((error: unknown) => {
    worker.terminate();
    throw error;
  });
  return {
    policy: new TextPolicy(counted(backend, onSampled)),
    device: { device: 'webgpu', adapter: 'WebLLM', fallback: false },
    textModel: () => backend,
  };
}

/** @throws Error in the user's words */
export async function openPolicy(options: OpenPolicyOptions): Promise<OpenedPolicy> {
  const { ref, checkpoint, ...rest } = options;
  switch (ref.kind) {
    case 'built-in':
    case 'checkpoint': {
      const loaded = await startPolicy({
        ...rest,
        tracker: options.tracker,
        source: checkpoint(ref),
      });
      return { ...loaded, textModel: () => engineTextModel(loaded.policy) };
    }
    case 'endpoint':
      options.tracker.loading('policy', 'connecting', { share: 0 });
      return openEndpoint(ref.id, options);
    case 'webllm':
      return openInWebLlm(ref.id, options);
  }
}
