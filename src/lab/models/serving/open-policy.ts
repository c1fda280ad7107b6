import type { PolicyRef, Resources } from '../../../records/setup.ts';
import { EndpointBackend } from '../../../policy/remote/endpoint/backend.ts';
import { EndpointClient, endpointTextModel } from '../../../policy/remote/endpoint/client.ts';
import { engineTextModel } from '../../../policy/open/engine-text-model.ts';
import { TextPolicy } from '../../../policy/remote/text-policy.ts';
import type { TextBackend } from '../../../policy/remote/text-backend.ts';
import type { TextModel } from '../../../policy/text-model.ts';
import { openWebLlm, webLlmProblem } from '../../../policy/remote/webllm/start.ts';
import type { CheckpointSource } from './checkpoint-source.ts';
import { WorkerLost } from '../../contract/failures.ts';
import type { DeviceFacts } from '../../contract/policy.ts';
import type { PartTracker } from '../../workers/part-tracker.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import { startPolicy, type LoadedPolicy } from './start-policy.ts';
import { newLife, watchLife } from '../../rpc/life.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

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
