import { proxy } from 'comlink';
import { HuggingFaceTokenizer } from '../../policy/tokenizer.ts';
import type { PartsBoard } from './parts.ts';
import type { LoadedPolicyFacts, PolicyHostApi, PolicyListener } from './policy-host.ts';
import { RemotePolicy } from './remote-policy.ts';
import { RemoteRetriever } from './remote-retriever.ts';
import type { RetrievalFiles, RetrievalHostApi, RetrievalListener } from './retrieval-host.ts';
import type { DeviceChoice } from './settings.ts';
import { supervise, type Locks, type WorkerLike } from './supervised.ts';
import type { WorkerLost } from './failures.ts';

/** Starts the two workers that the conductor works with, and loads what is in them. */

/** What a worker module exposes: it builds its host around our listener. */
export interface PolicyWorkerApi extends PolicyHostApi {
  connect: (listener: PolicyListener) => void;
}
export interface RetrievalWorkerApi extends RetrievalHostApi {
  connect: (listener: RetrievalListener) => void;
}

export interface Places {
  policy: string;
  files: RetrievalFiles;
}

export interface WorkerFactory {
  policy: (life: string) => WorkerLike;
  retrieval: (life: string) => WorkerLike;
  locks: Locks;
}

export interface LoadedPolicy extends LoadedPolicyFacts {
  policy: RemotePolicy;
}

const parseObject = (text: string | null): Record<string, unknown> => {
  const value: unknown = JSON.parse(text ?? '{}');
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

/** Comlink's proxies are kept here: one that is collected goes silent. */
const pinned = new Set<unknown>();
const pin = <T extends object>(value: T): T => {
  const shared = proxy(value);
  pinned.add(shared);
  return shared;
};

export const startPolicy = async (options: {
  workers: WorkerFactory;
  base: string;
  device: DeviceChoice;
  board: PartsBoard;
  onSampled: (count: number) => void;
  onLost: (error: WorkerLost) => void;
  /** Handed out at once, so that a load under way can be ended. */
  onStarted(terminate: () => void): void;
}): Promise<LoadedPolicy> => {
  const { workers, board } = options;
  board.loading('policy', 'starting the worker');
  let policy: RemotePolicy | null = null;
  const listener = pin({
    onTokens: (batch: Parameters<PolicyListener['onTokens']>[0]) => policy?.receive(batch),
    onProgress: (stage: string, bytes: { loaded: number; total: number }) => {
      if (!policy) board.loading('policy', stage, bytes);
    },
  });
  const host = supervise<PolicyWorkerApi>({
    name: 'policy',
    create: workers.policy,
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
  const facts = await host.call((api) => api.load(options.base, options.device));
  const tokenizer = new HuggingFaceTokenizer(
    parseObject(facts.tokenizer),
    parseObject(facts.tokenizerConfig),
  );
  policy = new RemotePolicy(host, facts.info, tokenizer, options.onSampled);
  return { ...facts, policy };
};

export const startRetrieval = async (options: {
  workers: WorkerFactory;
  files: RetrievalFiles;
  board: PartsBoard;
  onLost: (error: WorkerLost) => void;
  onWorld: (world: Awaited<ReturnType<RetrievalHostApi['loadWorld']>>) => void;
  onStarted(terminate: () => void): void;
}): Promise<{ retriever: RemoteRetriever; setWebDelay(ms: number): Promise<void> }> => {
  const { workers, board } = options;
  board.loading('world', 'starting the worker');
  board.loading('retrieval', 'starting the worker');
  const listener = pin({
    onProgress: (
      part: 'world' | 'retrieval',
      stage: string,
      bytes: { loaded: number; total: number },
    ) => {
      if (board.parts[part].status === 'loading') board.loading(part, stage, bytes);
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
  const note = await host.call((api) => api.openRetriever());
  board.ready('retrieval', note);
  return {
    retriever: new RemoteRetriever(host),
    setWebDelay: (ms) => host.call((api) => api.setWebDelay(ms)),
  };
};
