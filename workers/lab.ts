import { expose } from 'comlink';
import ortWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { CollectionsHost, openCollections } from '../src/runs/collections/index.ts';
import { Conductor } from '../src/runs/conductor/conductor.ts';
import type { LabApi } from '../src/runs/conductor/messages.ts';
import { announce } from '../src/runs/conductor/supervised.ts';
import type { WorkerFactory } from '../src/runs/conductor/workers.ts';
import { ForageDatabase } from '../src/runs/storage/database.ts';
import { OpfsBlobs } from '../src/runs/storage/opfs.ts';
import { RunStore } from '../src/runs/storage/run-store.ts';
import { startEngines } from '../src/runs/training/engines.ts';
import { TrainingHost } from '../src/runs/training/host.ts';
import { policyFacts } from '../src/runs/training/policy-facts.ts';

/** The lab worker: the conductor and the training host, which start the others. */

const at = (path: string): string => new URL(path, self.location.origin).href;

const policy = at('/policy/');

const workers: WorkerFactory = {
  policy: (name) => new Worker(new URL('./policy.ts', import.meta.url), { type: 'module', name }),
  retrieval: (name) =>
    new Worker(new URL('./retrieval.ts', import.meta.url), { type: 'module', name }),
  locks: navigator.locks,
};

const conductor = new Conductor(
  { policy, files: { world: at('/world/'), encoder: at('/encoder/'), ortWasm: at(ortWasm) } },
  workers,
);

const train = new TrainingHost({
  store: new RunStore(new ForageDatabase(), new OpfsBlobs()),
  startEngines: (options) => startEngines({ ...options, workers, base: policy }),
  world: () => conductor.lend(),
  policy: () => policyFacts(policy),
  locks: navigator.locks,
  channel: new BroadcastChannel('forage-training'),
});

const collections = new CollectionsHost(openCollections());
// What cannot be cleared up now is cleared up another time.
collections.open().catch(() => undefined);

const api: LabApi = {
  collections,
  train,
  start: (listener, device) => conductor.start(listener, device),
  run: (request) => conductor.run(request),
  cancel: () => conductor.cancel(),
  retry: () => conductor.retry(),
  question: (id) => conductor.question(id),
  pieces: (ids) => conductor.pieces(ids),
  search: (source, query, k) => conductor.search(source, query, k),
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
