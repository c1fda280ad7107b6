import { expose } from 'comlink';
import { createReplica } from '../src/learn/rl/create-replica.ts';
import { serveReplica } from '../src/learn/rl/replica-channel.ts';
import { servePolicy } from '../src/policy/generation/serve.ts';
import { watchGpuDevices } from '../src/policy/gpu-loss.ts';
import { loadPolicy, loadWeights } from '../src/policy/load.ts';
import type { Checkpoint } from '../src/runs/conductor/checkpoint.ts';
import type { PolicyWorkerApi } from '../src/runs/conductor/start-policy.ts';
import { announce } from '../src/runs/conductor/supervised.ts';

/** A policy worker: the transformer on WebGPU, or on one core by WASM; and its training. */

let loaded: Checkpoint['files'] = {};

const read = async (name: string): Promise<Uint8Array> => {
  const file = loaded[name];
  if (!file) throw new Error('the server has no such file');
  return file;
};

const api: PolicyWorkerApi = {
  load: async ({ id, files }, device, port) => {
    loaded = files;
    servePolicy(await loadPolicy({ id, device, files: read }), port);
  },
  train: async (adapter, device, port) => {
    const weights = await loadWeights(read);
    serveReplica(await createReplica({ weights, adapter, device }), port);
  },
};

// An error that nobody catches ends this worker for its owner, who starts another.
watchGpuDevices((reason) => reportError(new Error(`the GPU device was lost (${reason})`)));

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
