import { expose } from 'comlink';
import { IndexStore } from '../src/runs/retrieval/index-store.ts';
import { OpfsBlobs } from '../src/runs/storage/opfs.ts';
import { RetrievalHost, type RetrievalListener } from '../src/runs/conductor/retrieval-host.ts';
import { announce } from '../src/runs/conductor/supervised.ts';
import type { RetrievalWorkerApi } from '../src/runs/conductor/start-retrieval.ts';

/** The retrieval worker: encoder, indexes, fusion, and the web corpus shard by shard. */

let listener: RetrievalListener | null = null;
const host = new RetrievalHost(
  { onProgress: (part, stage, bytes) => listener?.onProgress(part, stage, bytes) },
  new IndexStore(new OpfsBlobs()),
);

const api: RetrievalWorkerApi = {
  connect: (remote) => {
    listener = remote;
  },
  loadWorld: (files) => host.loadWorld(files),
  openRetriever: () => host.openRetriever(),
  search: (call, source, query, k) => host.search(call, source, query, k),
  abort: (call) => host.abort(call),
  setWebDelay: (ms) => host.setWebDelay(ms),
  clusters: {
    overview: () => host.clusters.overview(),
    progress: () => host.clusters.progress(),
    stop: () => host.clusters.stop(),
    search: (query, k) => host.clusters.search(query, k),
    learn: (queries, k) => host.clusters.learn(queries, k),
    forget: () => host.clusters.forget(),
  },
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
