import { createReplica } from '../src/learn/replicas/create-replica.ts';
import { serveReplica } from '../src/learn/replicas/replica-channel.ts';
import { servePolicy } from '../src/policy/serving/serve.ts';
import { watchGpuDevices } from '../src/policy/jax/gpu-loss.ts';
import { loadPolicy } from '../src/policy/open/load.ts';
import { openCheckpoint } from '../src/lab/models/checkpoints/open.ts';
import type { Checkpoint, PolicyWorkerApi } from '../src/lab/contract/policy.ts';
import { frozenOf, loadOptions } from '../src/lab/models/serving/checkpoint-source.ts';
import { serve } from '../src/lab/rpc/serve.ts';

/** A policy worker: the transformer on WebGPU, or on one core by WASM; and its training. */

let loaded: Checkpoint | null = null;

/** Held from the first use on: its files are read again whenever the adapter changes. */
const open = async (id: string) => (await openCheckpoint(id)).files;

const host: PolicyWorkerApi = {
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

serve(host);
