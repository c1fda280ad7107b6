import { expose } from 'comlink';
import { openCollections } from '../src/lab/corpus/collections/store.ts';
import { EncoderStore } from '../src/lab/models/encoders/store.ts';
import { IndexStore } from '../src/lab/corpus/indexes/index-store.ts';
import { LearnedStore } from '../src/lab/corpus/indexes/learned-store.ts';
import { VectorStore } from '../src/lab/corpus/indexes/vector-store.ts';
import { OpfsBlobs } from '../src/lab/storage/opfs.ts';
import type { RetrievalListener } from '../src/lab/ask/retrieval-api.ts';
import { RetrievalHost } from '../src/lab/corpus/retrieval/retrieval-host.ts';
import { announce } from '../src/lab/workers/supervised.ts';
import type { RetrievalWorkerApi } from '../src/lab/corpus/retrieval/start-retrieval.ts';

/** The retrieval worker: encoder, indexes, fusion, and the web corpus shard by shard. */

let listener: RetrievalListener | null = null;
const host = new RetrievalHost(
  { onProgress: (part, stage, done) => listener?.onProgress(part, stage, done) },
  {
    passages: (ids) => openCollections().passagesOf(ids),
    indexCache: new IndexStore(new OpfsBlobs()),
    vectorCache: new VectorStore(),
    learnedCache: new LearnedStore(),
    encoders: new EncoderStore(new OpfsBlobs()),
  },
);

const api: RetrievalWorkerApi = {
  connect: (remote) => {
    listener = remote;
  },
  loadWorld: (files) => host.loadWorld(files),
  openRetriever: (spec) => host.openRetriever(spec),
  giveUp: (spec) => host.giveUp(spec),
  search: (call, key, source, query, k) => host.search(call, key, source, query, k),
  abort: (call) => host.abort(call),
  unknownNames: (call, key, question, sources) => host.unknownNames(call, key, question, sources),
  setWebDelay: (ms) => host.setWebDelay(ms),
  encoders: {
    list: () => host.encoders.list(),
    add: (files) => host.encoders.add(files),
    remove: (id) => host.encoders.remove(id),
    restore: (id) => host.encoders.restore(id),
  },
  clusters: {
    overview: (local, encode) => host.clusters.overview(local, encode),
    progress: () => host.clusters.progress(),
    stop: (local) => host.clusters.stop(local),
    learning: (local, changes) => host.clusters.learning(local, changes),
    search: (local, query, k) => host.clusters.search(local, query, k),
    learn: (local, queries, k) => host.clusters.learn(local, queries, k),
    forget: (local) => host.clusters.forget(local),
    recall: (local) => host.clusters.recall(local),
    leave: () => host.clusters.leave(),
  },
};

expose(api);
announce(self.name, navigator.locks, (sign) => postMessage(sign));
