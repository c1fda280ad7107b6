import { expose } from 'comlink';
import { servePolicy } from '../src/policy/generation/serve.ts';
import { loadPolicy } from '../src/policy/load.ts';
import type { PolicyWorkerApi } from '../src/runs/conductor/start-policy.ts';
import { announce } from '../src/runs/conductor/supervised.ts';

/** A policy worker: the transformer on WebGPU, or on one core by WASM. */

const api: PolicyWorkerApi = {
  load: async ({ id, files }, device, port) => {
    const read = async (name: string): Promise<Uint8Array> => {
      const file = files[name];
      if (!file) throw new Error('the server has no such file');
      return file;
    };
    servePolicy(await loadPolicy({ id, device, files: read }), port);
  },
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
