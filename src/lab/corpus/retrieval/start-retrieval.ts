import type { SearchTarget, SourceName } from '../../../records/hits.ts';
import { openByMethod, type Retrieval, type Retriever } from '../../../retrieval/retriever.ts';
import type { WorkerLost } from '../../contract/failures.ts';
import type {
  LoadedWorld,
  OpenedRetriever,
  RetrievalApi,
  RetrievalFiles,
  RetrieverSpec,
} from '../../contract/retrieval.ts';
import type { Remote } from '../../rpc/remote.ts';
import { startWorker } from '../../rpc/worker.ts';
import type { PartTracker } from '../../workers/part-tracker.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

type Api = Pick<Remote<RetrievalApi>, 'search' | 'unknownNames'>;

/** Opened sources of the retrieval worker. */
export class RemoteRetriever implements Retriever {
  readonly #api: Api;
  readonly #key: string;
  readonly by?: (method: string) => Retriever;

  /**
   * @param key of the sources, as `openRetriever` gave it
   * @param open opens the same sources with the local one searched by a method
   */
  constructor(api: Api, key: string, open?: (method: string) => Promise<Retriever>) {
    this.#api = api;
    this.#key = key;
    if (open) this.by = openByMethod(open);
  }

  search(source: SearchTarget, query: string, k: number, signal?: AbortSignal): Promise<Retrieval> {
    return this.#api.search(this.#key, source, query, k, signal);
  }

  /** Names of the question that no passage of these sources mentions. */
  unknownNames(
    question: string,
    sources: readonly SourceName[],
    signal?: AbortSignal,
  ): Promise<string[]> {
    return this.#api.unknownNames(this.#key, question, sources, signal);
  }
}

/** A retriever in the worker, and what it searches. */
export interface RemoteSources extends OpenedRetriever {
  retriever: RemoteRetriever;
}

/** The retrieval worker with the built-in world in it. */
export interface StartedRetrieval {
  api: Remote<RetrievalApi>;
  /** Opens other sources in the same worker; those of a running question or training stay open. */
  open(spec: RetrieverSpec, signal?: AbortSignal): Promise<RemoteSources>;
}

export const startRetrieval = async (options: {
  workers: WorkerFactory;
  files: RetrievalFiles;
  tracker: PartTracker;
  onLost: (error: WorkerLost) => void;
  onWorld: (world: LoadedWorld) => void;
  onStarted(terminate: () => void): void;
}): Promise<StartedRetrieval> => {
  const { workers, tracker, onLost } = options;
  tracker.loading('world', 'starting the worker');
  tracker.loading('retrieval', 'starting the worker');
  const { api, terminate } = startWorker<RetrievalApi>({
    name: 'retrieval',
    create: workers.retrieval,
    locks: workers.locks,
    onLost,
  });
  options.onStarted(terminate);
  await api.listen((part, stage, progress) => {
    if (tracker.parts[part].status === 'loading') tracker.loading(part, stage, progress);
  });
  await api.start(options.files);
  const world = await api.loadWorld();
  options.onWorld(world);
  tracker.ready('world', 'loaded');
  return {
    api,
    open: async (spec, signal) => {
      const opened = await api.openRetriever(spec, signal);
      const by = async (method: string): Promise<Retriever> => {
        const other = { ...spec, local: { ...spec.local, method } };
        return new RemoteRetriever(api, (await api.openRetriever(other)).key);
      };
      return { ...opened, retriever: new RemoteRetriever(api, opened.key, by) };
    },
  };
};
