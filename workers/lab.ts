import ortWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { CollectionsHost } from '../src/lab/corpus/collections/host.ts';
import { openCollections } from '../src/lab/corpus/collections/store.ts';
import type { PolicyRef } from '../src/records/setup.ts';
import { CheckpointDatabase } from '../src/lab/models/checkpoints/database.ts';
import { startCheckpoints } from '../src/lab/models/checkpoints/start-host.ts';
import { CheckpointStore } from '../src/lab/models/checkpoints/store.ts';
import { servedCheckpoint, storedCheckpoint } from '../src/lab/models/serving/checkpoint-source.ts';
import { AskHost } from '../src/lab/ask/host.ts';
import type { LabApi } from '../src/lab/contract/lab.ts';
import type { WorkerFactory } from '../src/lab/workers/workers.ts';
import { EvaluationDatabase } from '../src/lab/evaluate/database.ts';
import { EvaluationHost } from '../src/lab/evaluate/host.ts';
import { startGeneratedNames, startGeneratedWorld } from '../src/lab/evaluate/generated-world.ts';
import { EvaluationStore } from '../src/lab/evaluate/store.ts';
import { ForageDatabase } from '../src/lab/storage/database.ts';
import { freeDeleted } from '../src/lab/storage/free-deleted.ts';
import { filesOfSite } from '../src/lab/storage/files-of-site.ts';
import { OpfsRangeFiles } from '../src/lab/storage/opfs-ranges.ts';
import { OpfsBlobs } from '../src/lab/storage/opfs.ts';
import { RunStore } from '../src/lab/storage/run-store.ts';
import { startEngines } from '../src/lab/train/engines.ts';
import { ExportHost } from '../src/lab/train/exports.ts';
import { readBundledFile } from '../src/handover/files/bundled.ts';
import { DemonstrationsHost } from '../src/lab/train/demonstrations.ts';
import { TrainingHost } from '../src/lab/train/host.ts';
import {
  cachedFacts,
  policyFacts,
  type PolicyFacts,
} from '../src/lab/models/serving/policy-facts.ts';
import { serve } from '../src/lab/rpc/serve.ts';

/** The lab worker: the host of questions and the training host, which start the others. */

/** This file lies one folder below the page's root, in the source tree as in a build. */
const at = (path: string): string => new URL(path, new URL('../', self.location.href)).href;

const policy = at('policy/');

const workers: WorkerFactory = {
  policy: (name) => new Worker(new URL('./policy.ts', import.meta.url), { type: 'module', name }),
  retrieval: (name) =>
    new Worker(new URL('./retrieval.ts', import.meta.url), { type: 'module', name }),
  webllm: (name) => new Worker(new URL('./webllm.ts', import.meta.url), { type: 'module', name }),
  locks: navigator.locks,
};

const collections = new CollectionsHost(openCollections());

const checkpoints = new CheckpointStore(new CheckpointDatabase(), new OpfsRangeFiles());
const open = (id: string) => checkpoints.open(id);

/** @throws Error for a policy that samples only */
const trainable = (ref: PolicyRef) => {
  if (ref.kind === 'built-in') return servedCheckpoint(policy);
  if (ref.kind === 'checkpoint') return storedCheckpoint(checkpoints, ref.id);
  throw new Error(
    'WebLLM models and servers sample only: they give no gradients. Choose the built-in policy or a checkpoint of this device to train.',
  );
};

const builtInFacts = cachedFacts(() => policyFacts(trainable({ kind: 'built-in' }), open));
// The form of training asks with every change.
const factsOf = async (ref: PolicyRef): Promise<PolicyFacts> =>
  ref.kind === 'built-in' ? builtInFacts() : policyFacts(trainable(ref), open);

const files = {
  world: at('world/'),
  encoder: at('encoder/'),
  ortWasm: at(ortWasm),
};

const store = new RunStore(new ForageDatabase(), new OpfsBlobs());

const askHost = new AskHost({ policy, files }, workers, {
  checkpoints,
  imported: (ids) => collections.questions(ids),
  policies: { runs: store, facts: factsOf },
});

const train = new TrainingHost({
  store,
  startEngines: ({ policy: ref, ...options }) =>
    startEngines({ ...options, workers, source: trainable(ref), open }),
  world: (setup) => askHost.sourcesFor(setup),
  helper: (ref) => askHost.helper(ref),
  policy: factsOf,
  policies: async () => [
    { kind: 'built-in' },
    ...(await checkpoints.list())
      .filter(({ record }) => record.readyAt !== null && record.deletedAt === null)
      .map(({ record }) => ({ kind: 'checkpoint' as const, id: record.id })),
  ],
  checkFiles: () => void filesOfSite(),
  locks: navigator.locks,
  channel: new BroadcastChannel('forage-training'),
  orders: new BroadcastChannel('forage-training-orders'),
});

const demonstrations = new DemonstrationsHost({
  policy: factsOf,
  world: (setup) => askHost.sourcesFor(setup),
  openApart: (...args) => askHost.openApart(...args),
});

const exports = new ExportHost({
  store,
  policy: factsOf,
  world: (setup) => askHost.sourcesFor(setup),
  passages: (id) => collections.exportJsonl(id, 'passages'),
  version: String(import.meta.env['VITE_VERSION'] ?? ''),
  read: readBundledFile,
});

const evaluations = new EvaluationHost({
  store: new EvaluationStore(new EvaluationDatabase()),
  runs: store,
  facts: factsOf,
  openApart: (...args) => askHost.openApart(...args),
  endpointOf: (ref) => askHost.endpointOf(ref),
  sourcesFor: (request) => askHost.sourcesFor(request),
  startWorld: (made, note) => startGeneratedWorld({ made, files, workers, note }),
  collections: async (ids) =>
    (await collections.list()).filter(({ id }) => ids.includes(id)).map((one) => ({ ...one })),
  names: askHost.names,
  startNames: () => startGeneratedNames(workers),
  helper: (ref) => askHost.helper(ref),
  version: String(import.meta.env['VITE_VERSION'] ?? ''),
  locks: navigator.locks,
  channel: new BroadcastChannel('forage-evaluations'),
  orders: new BroadcastChannel('forage-evaluation-orders'),
});

const checkpointsHost = startCheckpoints();
freeDeleted([
  (before) => checkpointsHost.purge(before),
  (before) => collections.purge(before),
  (before) => train.purge(before),
  (before) => evaluations.purge(before),
]);

const host: LabApi = {
  ask: askHost,
  train,
  demonstrations,
  exports,
  collections,
  checkpoints: checkpointsHost,
  clusters: askHost.clusters,
  encoders: askHost.encoders,
  evaluations,
};

serve(host);
