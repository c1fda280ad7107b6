import { expose } from 'comlink';
import { createReplica } from '../src/learn/rl/create-replica.ts';
import { serveReplica } from '../src/learn/rl/replica-channel.ts';
import { servePolicy } from '../src/policy/generation/serve.ts';
import { watchGpuDevices } from '../src/policy/gpu-loss.ts';
import { loadPolicy } from '../src/policy/load.ts';
import { openCheckpoint } from '../src/runs/checkpoints/open.ts';
import type { Checkpoint } from '../src/runs/conductor/checkpoint.ts';
import { frozenOf, loadOptions } from '../src/runs/conductor/checkpoint-source.ts';
import type { PolicyWorkerApi } from '../src/runs/conductor/start-policy.ts';
import { announce } from '../src/runs/conductor/supervised.ts';

/** A policy worker: the transformer on WebGPU, or on one core by WASM; and its training. */

let loaded: Checkpoint | null = null;

/** Held from the first use on: its files are read again whenever the adapter changes. */
const open = async (id: string) => (await openCheckpoint(id)).files;

const api: PolicyWorkerApi = {
  load: async (checkpoint, device, port) => {
    loaded = checkpoint;
    servePolicy(await loadPolicy({ ...(await loadOptions(checkpoint, open)), device }), port);
  },
  train: async (adapter, device, port) => {
    if (!loaded) throw new Error('no checkpoint is loaded');
    const weights = await frozenOf(loaded, open);
    serveReplica(await createReplica({ weights, adapter, device }), port);
  },
};

// An error that nobody catches ends this worker for its owner, who starts another.
watchGpuDevices((reason) => reportError(new Error(`the GPU device was lost (${reason})`)));

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
