import { proxy, type Remote } from 'comlink';
import type { ConductorMessage, LabApi } from '../../lab/ask/messages.ts';
import type { ClusterApi } from '../../lab/corpus/retrieval/cluster-messages.ts';
import { remoteClusters } from '../../lab/corpus/retrieval/remote-clusters.ts';
import { remoteEncoders } from '../../lab/corpus/retrieval/remote-encoders.ts';
import type { EncoderApi } from '../../lab/models/encoders/messages.ts';
import { supervise } from '../../lab/workers/supervised.ts';
import { reportLost, type LabOpener } from './connection.ts';
import { remoteCollections } from './remote/remote-collections.ts';
import { remoteCheckpoints } from './remote/remote-checkpoints.ts';
import { remoteInspection } from './remote/remote-inspection.ts';
import { remoteTrain } from './remote/remote-train.ts';

/** Comlink's proxies are kept: one that is collected goes silent. */
let pinned: unknown = null;

/** A part of a remote object is remote, which its type does not tell. */
const clustersOf = (api: Remote<LabApi>): Remote<ClusterApi> =>
  api.clusters as unknown as Remote<ClusterApi>;

/** Starts the lab worker, which starts the others. */
export const openLab: LabOpener = (receive, device, setup) => {
  const worker = supervise<LabApi>({
    name: 'lab',
    create: (name) =>
      new Worker(new URL('../../../workers/lab.ts', import.meta.url), { type: 'module', name }),
    locks: navigator.locks,
    onLost: reportLost,
  });
  const listener = proxy((messages: ConductorMessage[]) => receive(messages));
  pinned = listener;
  worker.call((api) => api.start(listener, device, setup)).catch(reportLost);
  return {
    train: remoteTrain(worker),
    collections: remoteCollections(worker),
    encoders: remoteEncoders((use) =>
      worker.call((api) => use(api.encoders as unknown as Remote<EncoderApi>)),
    ),
    clusters: remoteClusters((use) => worker.call((api) => use(clustersOf(api)))),
    checkpoints: remoteCheckpoints(worker),
    use: (setup) => worker.call((api) => api.use(setup)),
    provide: (resources, keys) => worker.call((api) => api.provide(resources, keys)),
    webLlmModels: () => worker.call((api) => api.webLlmModels(), 60_000),
    inspection: remoteInspection(),
    run: (request) => worker.call((api) => api.run(request)),
    cancel: () => worker.call((api) => api.cancel(), 10_000),
    retry: () => worker.call((api) => api.retry(), 10_000),
    question: (id) => worker.call((api) => api.question(id)),
    pieces: (ids) => worker.call((api) => api.pieces(ids), 10_000),
    search: (source, query, k) => worker.call((api) => api.search(source, query, k), 60_000),
  };
};

/** For the debugger: the proxy that is held. */
export const heldProxy = (): unknown => pinned;
