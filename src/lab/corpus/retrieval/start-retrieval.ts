import { proxy, type Remote } from 'comlink';
import type { ClusterApi } from './cluster-messages.ts';
import type { EncoderApi } from '../../models/encoders/messages.ts';
import { remoteClusters } from './remote-clusters.ts';
import { remoteEncoders } from './remote-encoders.ts';
import type { WorkerLost } from '../../workers/failures.ts';
import type { PartsBoard } from '../../ask/parts.ts';
import { RemoteRetriever } from './remote-retriever.ts';
import type {
  OpenedRetriever,
  RetrievalFiles,
  RetrievalHostApi,
  RetrievalListener,
  RetrieverSpec,
} from '../../ask/retrieval-api.ts';
import { supervise } from '../../workers/supervised.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

/** What the module of the retrieval worker exposes: it builds its host around our listener. */
export interface RetrievalWorkerApi extends RetrievalHostApi {
  connect: (listener: RetrievalListener) => void;
  clusters: ClusterApi;
  encoders: EncoderApi;
}

/** Comlink's proxies are kept here: one that is collected goes silent. */
const pinned = new Set<unknown>();
const pin = <T extends object>(value: T): T => {
  const shared = proxy(value);
  pinned.add(shared);
  return shared;
};

/** A retriever in the worker, and what it searches. */
export interface RemoteSources extends OpenedRetriever {
  retriever: RemoteRetriever;
}

export interface StartedRetrieval {
  /** Opens other sources in the same worker; those of a running question or training stay open. */
  open(spec: RetrieverSpec): Promise<RemoteSources>;
  /** Sources that are being opened are not waited for any more. */
  giveUp(spec: RetrieverSpec): void;
  clusters: ClusterApi;
  encoders: EncoderApi;
  setWebDelay(ms: number): Promise<void>;
}

export const startRetrieval = async (options: {
  workers: WorkerFactory;
  files: RetrievalFiles;
  board: PartsBoard;
  onLost: (error: WorkerLost) => void;
  onWorld: (world: Awaited<ReturnType<RetrievalHostApi['loadWorld']>>) => void;
  onStarted(terminate: () => void): void;
}): Promise<StartedRetrieval> => {
  const { workers, board } = options;
  board.loading('world', 'starting the worker');
  board.loading('retrieval', 'starting the worker');
  const listener = pin<RetrievalListener>({
    onProgress: (part, stage, progress) => {
      if (board.parts[part].status === 'loading') board.loading(part, stage, progress);
    },
  });
  const host = supervise<RetrievalWorkerApi>({
    name: 'retrieval',
    create: workers.retrieval,
    locks: workers.locks,
    onLost: (error) => {
      pinned.delete(listener);
      options.onLost(error);
    },
  });
  options.onStarted(() => {
    pinned.delete(listener);
    host.terminate();
  });
  await host.call((api) => api.connect(listener));
  const world = await host.call((api) => api.loadWorld(options.files));
  options.onWorld(world);
  board.ready('world', 'loaded');
  return {
    open: async (spec) => {
      const opened = await host.call((api) => api.openRetriever(spec));
      return { ...opened, retriever: new RemoteRetriever(host, opened.key) };
    },
    giveUp: (spec) => void host.call((api) => api.giveUp(spec)).catch(() => undefined),
    clusters: remoteClusters((use) =>
      host.call((api) => use(api.clusters as unknown as Remote<ClusterApi>)),
    ),
    encoders: remoteEncoders((use) =>
      host.call((api) => use(api.encoders as unknown as Remote<EncoderApi>)),
    ),
    setWebDelay: (ms) => host.call((api) => api.setWebDelay(ms)),
  };
};
