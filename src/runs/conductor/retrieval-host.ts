import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { loadOrt } from '../../retrieval/encoder/runtime.ts';
import { openWorldRetriever, type WorldRetriever } from '../../retrieval/open.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { SearchTarget } from '../../data/hits.ts';
import type { Passage } from '../../data/records.ts';
import type { IndexCache } from '../../retrieval/open-local.ts';
import { ClusterHost, type ClusterCorpus } from './cluster-host.ts';
import { fetchWithProgress, type ByteProgress } from './fetch-progress.ts';
import type { WorldFacts } from './messages.ts';

/** Retrieval behind messages: the side that runs in the retrieval worker. */

export interface RetrievalFiles {
  /** Folder of the world, with a slash at its end. */
  world: string;
  /** Folder of the encoder, with a slash at its end. */
  encoder: string;
  /** onnxruntime's WebAssembly file. */
  ortWasm: string;
}

export interface RetrievalListener {
  onProgress(part: 'world' | 'retrieval', stage: string, bytes: ByteProgress): void;
}

export interface LoadedWorld {
  questions: WorldQuestion[];
  /** For the router's coverage feature. */
  local: Pick<Passage, 'title'>[];
  facts: WorldFacts;
  /** Seed of the generator that made it. */
  seed: number;
}

export interface RetrievalHostApi {
  /** Fetches the world; the encoder is on its way at the same time. */
  loadWorld(files: RetrievalFiles): Promise<LoadedWorld>;
  /** Opens encoder and indexes. Says what searches with, in a few words. */
  openRetriever(): Promise<string>;
  search(call: number, source: SearchTarget, query: string, k: number): Promise<Retrieval>;
  abort(call: number): void;
  setWebDelay(ms: number): void;
}

/** A promise that may fail before anyone waits for it. */
const quietly = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

export class RetrievalHost implements RetrievalHostApi {
  readonly #listener: RetrievalListener;
  readonly #calls = new Map<number, AbortController>();
  #files: RetrievalFiles | null = null;
  #world: World | null = null;
  #retriever: WorldRetriever | null = null;
  #encoder: Promise<OnnxEncoder> | null = null;
  #webDelayMs = 0;
  /** Clusters of the local corpus, opened when they are asked for. */
  readonly clusters: ClusterHost;

  constructor(listener: RetrievalListener, indexCache: IndexCache | null = null) {
    this.#listener = listener;
    this.clusters = new ClusterHost(() => this.#clusterCorpus(), indexCache);
  }

  async loadWorld(files: RetrievalFiles): Promise<LoadedWorld> {
    this.#files = files;
    this.#encoder = quietly(this.#openEncoder(files));
    const world = await loadWorld(
      fetchWithProgress(files.world, (bytes) =>
        this.#listener.onProgress('world', 'fetching', bytes),
      ),
    );
    this.#world = world;
    const { local, web } = world.manifest.counts;
    return {
      questions: world.questions,
      local: world.local.map(({ title }) => ({ title })),
      facts: { localPassages: local, webPassages: web, questions: world.questions.length },
      seed: world.manifest.seed,
    };
  }

  async openRetriever(): Promise<string> {
    if (!this.#world || !this.#files) throw new Error('the world is not loaded');
    const encoder = this.#world.vectors ? await this.#encoder : null;
    this.#retriever = openWorldRetriever(
      this.#world,
      fetchWithProgress(this.#files.world, () => undefined),
      { encoder, webDelayMs: () => this.#webDelayMs },
    );
    // The first search of the web shall pay for its shards alone; a fault is told by that search.
    this.#retriever.web.prepare().catch(() => undefined);
    return encoder ? `BM25+ and ${encoder.id}, fused` : 'BM25+ alone: this world has no vectors';
  }

  async search(call: number, source: SearchTarget, query: string, k: number): Promise<Retrieval> {
    if (!this.#retriever) throw new Error('retrieval is not ready');
    const abort = new AbortController();
    this.#calls.set(call, abort);
    try {
      return await this.#retriever.search(source, query, k, abort.signal);
    } finally {
      this.#calls.delete(call);
    }
  }

  abort(call: number): void {
    this.#calls.get(call)?.abort();
  }

  setWebDelay(ms: number): void {
    this.#webDelayMs = ms;
  }

  async #clusterCorpus(): Promise<ClusterCorpus> {
    const encoder = await this.#encoder;
    const { vectors, local } = this.#world ?? {};
    if (!encoder || !vectors || !local)
      throw new Error(
        'There are no vectors to cluster: this corpus is searched without an encoder.',
      );
    return { passages: local, vectors, encoder };
  }

  async #openEncoder({ encoder, ortWasm }: RetrievalFiles): Promise<OnnxEncoder> {
    const tell = (bytes: ByteProgress) =>
      this.#listener.onProgress('retrieval', 'fetching the encoder', bytes);
    const slash = ortWasm.lastIndexOf('/') + 1;
    const fetchRuntime = fetchWithProgress(ortWasm.slice(0, slash), tell);
    const ort = await loadOrt('wasm', await fetchRuntime(ortWasm.slice(slash)));
    return OnnxEncoder.open(fetchWithProgress(encoder, tell), ort, 'wasm');
  }
}
