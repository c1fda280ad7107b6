import { expose } from 'comlink';
import { PolicyHost, type PolicyListener } from '../src/runs/conductor/policy-host.ts';
import { announce } from '../src/runs/conductor/supervised.ts';
import type { PolicyWorkerApi } from '../src/runs/conductor/workers.ts';

/** The policy worker: the transformer on WebGPU, or on WASM where there is none. */

let listener: PolicyListener | null = null;
const host = new PolicyHost({
  onTokens: (batch) => listener?.onTokens(batch),
  onProgress: (stage, bytes) => listener?.onProgress(stage, bytes),
});

const api: PolicyWorkerApi = {
  connect: (remote) => {
    listener = remote;
  },
  load: (base, device) => host.load(base, device),
  open: (seed) => host.open(seed),
  generate: (session, call, ids, options) => host.generate(session, call, ids, options),
  abort: (session) => host.abort(session),
  fork: (session, ids, seed) => host.fork(session, ids, seed),
  close: (session) => host.close(session),
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
