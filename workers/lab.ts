import { expose } from 'comlink';
import ortWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { Conductor } from '../src/runs/conductor/conductor.ts';
import type { ConductorApi } from '../src/runs/conductor/messages.ts';
import { announce } from '../src/runs/conductor/supervised.ts';

/** The lab worker: the conductor, which starts the others. */

const at = (path: string): string => new URL(path, self.location.origin).href;

const conductor = new Conductor(
  {
    policy: at('/policy/'),
    files: { world: at('/world/'), encoder: at('/encoder/'), ortWasm: at(ortWasm) },
  },
  {
    policy: (name) => new Worker(new URL('./policy.ts', import.meta.url), { type: 'module', name }),
    retrieval: (name) =>
      new Worker(new URL('./retrieval.ts', import.meta.url), { type: 'module', name }),
    locks: navigator.locks,
  },
);

const api: ConductorApi = {
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
