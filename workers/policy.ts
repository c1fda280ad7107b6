import '../src/systems/objective-rules.ts';
import { createReplica } from '../src/learn/replicas/create-replica.ts';
import { serveReplica } from '../src/learn/replicas/replica-channel.ts';
import { servePolicy } from '../src/policy/serving/serve.ts';
import { loadPolicy } from '../src/policy/open/load.ts';
import type { LoadedPolicy } from '../src/policy/open/loaded-policy.ts';
import { openCheckpoint } from '../src/lab/models/checkpoints/open.ts';
import type { PolicyWorkerApi } from '../src/lab/contract/policy.ts';
import { loadOptions } from '../src/lab/models/serving/checkpoint-source.ts';
import { serve } from '../src/lab/rpc/serve.ts';

/** A policy worker: the transformer on WebGPU, or on one core by WASM; and its training. */

let loaded: LoadedPolicy | null = null;

/** Held from the first use on: its files are read again whenever the adapter changes. */
const open = async (id: string) => (await openCheckpoint(id)).files;

const policy = (): LoadedPolicy => {
  if (!loaded) throw new Error('no checkpoint is loaded');
  return loaded;
};

const host: PolicyWorkerApi = {
  load: async (checkpoint, device, port) => {
    loaded = await loadPolicy({ ...(await loadOptions(checkpoint, open)), device });
    // An error that nobody catches ends this worker for its owner, who starts another.
    void loaded.lost?.then((reason) =>
      reportError(new Error(`the GPU device was lost (${reason})`)),
    );
    servePolicy(loaded, port);
  },
  train: async (adapter, port) => {
    serveReplica(createReplica({ policy: policy(), adapter }), port);
  },
  agreement: async (onLayer, signal) => policy().agreement({ onLayer, signal }),
  measure: async (onFigure, onShare, signal) => policy().measure({ onFigure, onShare, signal }),
};

serve(host);
