import type { LocalSpec, WebSpec } from '../../data/setup.ts';
import type { SearchTarget } from '../../data/hits.ts';
import type { Passage } from '../../data/records.ts';
import { createRetriever } from '../../retrieval/create.ts';
import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { loadOrt, type OrtModule } from '../../retrieval/encoder/runtime.ts';
import { openWebSource } from '../../retrieval/engines/index.ts';
import type { IndexCache, LocalMemory, LocalStage } from '../../retrieval/open-local.ts';
import { openWorldRetriever, type WorldRetriever } from '../../retrieval/open.ts';
import type { Retrieval, Retriever } from '../../retrieval/retriever.ts';
import { encodedSimilarities } from '../../retrieval/similarities.ts';
import type { Source } from '../../retrieval/sources.ts';
import type { VectorCache } from '../../retrieval/vector-cache.ts';
import { loadWorld, type World } from '../../retrieval/world/load.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { EncoderHost } from '../encoders/host.ts';
import type { EncoderStore } from '../encoders/store.ts';
import { openLocalSetup } from '../retrieval/open-setup.ts';
import { ClusterHost, type ClusterCorpus } from './cluster-host.ts';
import { fetchWithProgress, type ByteProgress } from './fetch-progress.ts';
import type { WorldFacts } from './messages.ts';
import { createPace } from './pace.ts';
import type { PartShare } from './parts.ts';

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
  onProgress(part: 'world' | 'retrieval', stage: string, progress: ByteProgress | PartShare): void;
}

/** What lies on this device: imported passages, and caches that may be gone at any time. */
export interface RetrievalStorage {
  /** @throws Error where a collection is not there */
  passages(collections: readonly string[]): AsyncIterable<Passage[]>;
  indexCache: IndexCache | null;
  vectorCache: VectorCache | null;
  encoders: EncoderStore;
}

export interface LoadedWorld {
  questions: WorldQuestion[];
  facts: WorldFacts;
  /** Seed of the generator that made it. */
  seed: number;
}

/** The two sources of a retriever. */
export interface RetrieverSpec {
  local: LocalSpec;
  web: WebSpec;
}

export interface OpenedRetriever {
  /** Names it in searches. */
  key: string;
  /** What searches, in a few words. */
  note: string;
  /** For the router's coverage feature. */
  local: Pick<Passage, 'title'>[];
  /** Bytes in memory where they are known, parts of them estimates. */
  memory: LocalMemory | null;
}

export interface RetrievalHostApi {
  /** Fetches the world; the encoder is on its way at the same time. */
  loadWorld(files: RetrievalFiles): Promise<LoadedWorld>;
  /** Opens encoder and indexes, or finds them open. */
  openRetriever(spec: RetrieverSpec): Promise<OpenedRetriever>;
  /** One who waits for these sources does so no more: unless another one does, building them stops. */
  giveUp(spec: RetrieverSpec): void;
  search(
    call: number,
    key: string,
    source: SearchTarget,
    query: string,
    k: number,
  ): Promise<Retrieval>;
  abort(call: number): void;
  setWebDelay(ms: number): void;
}

/** A promise that may fail before anyone waits for it. */
const quietly = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/** Open at a time: that of the page's questions and that of a training run, and the one before. */
const KEPT = 3;

const STAGES: Record<LocalStage, string> = {
  lexical: 'indexing words',
  encode: 'encoding passages',
  graph: 'building the graph',
  clusters: 'building clusters',
};

interface Opened extends OpenedRetriever {
  retriever: Retriever;
  /** Gives back what was opened for it alone. */
  dispose: () => Promise<void>;
}

interface Opening {
  promise: Promise<Opened>;
  abort: AbortController;
  /** Callers that wait for it; none once it is open. */
  waiting: number;
}

const keyOf = ({ local, web }: RetrieverSpec): string => JSON.stringify([local, web]);

export class RetrievalHost implements RetrievalHostApi {
  readonly #listener: RetrievalListener;
  readonly #storage: RetrievalStorage;
  readonly #calls = new Map<number, AbortController>();
  /** By the specification, last used last. */
  readonly #opened = new Map<string, Opening>();
  #files: RetrievalFiles | null = null;
  #world: World | null = null;
  #worldRetriever: Promise<WorldRetriever> | null = null;
  #encoder: Promise<OnnxEncoder> | null = null;
  #webDelayMs = 0;
  /** Clusters of the local corpus, opened when they are asked for. */
  readonly clusters: ClusterHost;
  /** Encoders and cross-encoders of this device. */
  readonly encoders: EncoderHost;
  #ort: Promise<OrtModule> | null = null;

  constructor(listener: RetrievalListener, storage: RetrievalStorage) {
    this.#listener = listener;
    this.#storage = storage;
    this.encoders = new EncoderHost(storage.encoders, () => this.#runtime());
    this.clusters = new ClusterHost(() => this.#clusterCorpus(), storage.indexCache);
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
      facts: { localPassages: local, webPassages: web, questions: world.questions.length },
      seed: world.manifest.seed,
    };
  }

  async openRetriever(spec: RetrieverSpec): Promise<OpenedRetriever> {
    const key = keyOf(spec);
    const opening = this.#opened.get(key) ?? this.#begin(key, spec);
    const { promise } = opening;
    this.#opened.delete(key);
    this.#opened.set(key, opening);
    this.#forget();
    opening.waiting++;
    try {
      const { note, local, memory } = await promise;
      opening.waiting = 0;
      return { key, note, local, memory };
    } catch (error) {
      // The next call tries again.
      if (this.#opened.get(key)?.promise === promise) this.#opened.delete(key);
      throw error;
    }
  }

  giveUp(spec: RetrieverSpec): void {
    const key = keyOf(spec);
    const opening = this.#opened.get(key);
    if (!opening || opening.waiting === 0) return;
    opening.waiting--;
    if (opening.waiting > 0) return;
    this.#opened.delete(key);
    opening.abort.abort(new Error('these sources are not wanted any more'));
  }

  #begin(key: string, spec: RetrieverSpec): Opening {
    const abort = new AbortController();
    return { abort, promise: quietly(this.#open(key, spec, abort.signal)), waiting: 0 };
  }

  async search(
    call: number,
    key: string,
    source: SearchTarget,
    query: string,
    k: number,
  ): Promise<Retrieval> {
    const opened = this.#opened.get(key);
    if (!opened) throw new Error('these sources are not open any more; start again');
    const abort = new AbortController();
    this.#calls.set(call, abort);
    try {
      const { retriever } = await opened.promise;
      return await retriever.search(source, query, k, abort.signal);
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

  /** Memory is that of the few that were used last. */
  #forget(): void {
    while (this.#opened.size > KEPT) {
      const [key, { abort, promise }] = [...this.#opened][0]!;
      abort.abort(new Error('these sources were closed'));
      this.#opened.delete(key);
      promise.then(({ dispose }) => dispose()).catch(() => undefined);
    }
  }

  async #open(key: string, { local, web }: RetrieverSpec, signal: AbortSignal): Promise<Opened> {
    const world = await (this.#worldRetriever ??= this.#openWorld());
    const opened = await this.#openLocal(local, world, signal);
    const encoder = this.#world?.vectors ? await this.#encoder : null;
    const source = openWebSource(web, {
      builtIn: () => world.web,
      similarities: encoder && encodedSimilarities(encoder),
    });
    return {
      key,
      note: opened.note,
      local: opened.passages.map(({ title }) => ({ title })),
      memory: opened.memory,
      dispose: opened.dispose,
      retriever: createRetriever({
        local: opened.source,
        web: source,
        webDelayMs: () => this.#webDelayMs,
      }),
    };
  }

  async #openLocal(
    spec: LocalSpec,
    world: WorldRetriever,
    signal: AbortSignal,
  ): Promise<{
    source: Source;
    note: string;
    passages: readonly Passage[];
    memory: LocalMemory | null;
    dispose: () => Promise<void>;
  }> {
    if (spec.kind === 'built-in')
      return {
        source: world.local,
        note: await this.#worldNote(),
        passages: this.#world?.local ?? [],
        memory: null,
        dispose: () => Promise.resolve(),
      };
    const tell = createPace((stage, progress) =>
      this.#listener.onProgress('retrieval', stage, progress),
    );
    const passages: Passage[] = [];
    for await (const some of this.#storage.passages(spec.ids)) {
      signal.throwIfAborted();
      passages.push(...some);
      tell('reading passages', passages.length, 0);
    }
    if (passages.length === 0)
      throw new Error('The chosen collections hold no passages; choose others on the Corpus page.');
    const { indexCache, vectorCache } = this.#storage;
    const opened = await openLocalSetup(
      spec,
      passages,
      { encoders: this.encoders, builtIn: () => this.#builtIn(), indexCache, vectorCache },
      { signal, onProgress: (stage, done, total) => tell(STAGES[stage], done, total) },
    );
    return { ...opened, passages };
  }

  async #builtIn(): Promise<OnnxEncoder> {
    if (!this.#encoder) throw new Error('the encoder is not loaded');
    return this.#encoder;
  }

  async #worldNote(): Promise<string> {
    const encoder = this.#world?.vectors ? await this.#encoder : null;
    return encoder ? `BM25+ and ${encoder.id}, fused` : 'BM25+ alone: this world has no vectors';
  }

  async #openWorld(): Promise<WorldRetriever> {
    if (!this.#world || !this.#files) throw new Error('the world is not loaded');
    const encoder = this.#world.vectors ? await this.#encoder : null;
    const retriever = openWorldRetriever(
      this.#world,
      fetchWithProgress(this.#files.world, () => undefined),
      { encoder, webDelayMs: () => this.#webDelayMs },
    );
    // The first search of the web shall pay for its shards alone; a fault is told by that search.
    retriever.web.prepare().catch(() => undefined);
    return retriever;
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
    this.#ort = quietly(this.#loadRuntime(ortWasm));
    const fetchFile = fetchWithProgress(encoder, (bytes) => this.#tellEncoder(bytes));
    return OnnxEncoder.open(fetchFile, await this.#ort, 'wasm');
  }

  #tellEncoder(bytes: ByteProgress): void {
    this.#listener.onProgress('retrieval', 'fetching the encoder', bytes);
  }

  async #loadRuntime(ortWasm: string): Promise<OrtModule> {
    const slash = ortWasm.lastIndexOf('/') + 1;
    const fetchFile = fetchWithProgress(ortWasm.slice(0, slash), (bytes) =>
      this.#tellEncoder(bytes),
    );
    return loadOrt('wasm', await fetchFile(ortWasm.slice(slash)));
  }

  /** One runtime for all encoders; stored ones run where the built-in one does. */
  async #runtime(): Promise<OrtModule> {
    if (!this.#ort) throw new Error('the runtime of encoders is not loaded');
    return this.#ort;
  }
}
