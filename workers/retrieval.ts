import { expose } from 'comlink';
import { RetrievalHost, type RetrievalListener } from '../src/runs/conductor/retrieval-host.ts';
import { announce } from '../src/runs/conductor/supervised.ts';
import type { RetrievalWorkerApi } from '../src/runs/conductor/start-retrieval.ts';

/** The retrieval worker: encoder, indexes, fusion, and the web corpus shard by shard. */

let listener: RetrievalListener | null = null;
const host = new RetrievalHost({
  onProgress: (part, stage, bytes) => listener?.onProgress(part, stage, bytes),
});

const api: RetrievalWorkerApi = {
  connect: (remote) => {
    listener = remote;
  },
  loadWorld: (files) => host.loadWorld(files),
  openRetriever: () => host.openRetriever(),
  search: (call, source, query, k) => host.search(call, source, query, k),
  abort: (call) => host.abort(call),
  setWebDelay: (ms) => host.setWebDelay(ms),
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
