import type { LocalSpec, WebSpec } from '../../../records/setup.ts';
import type { SearchTarget, SourceName } from '../../../records/hits.ts';
import type { Passage } from '../../../records/records.ts';
import { createRetriever } from '../../../retrieval/create.ts';
import { OnnxEncoder } from '../../../retrieval/encoder/encoder.ts';
import { loadOrt, type OrtModule, type EncoderDevice } from '../../../retrieval/encoder/runtime.ts';
import { openWebSource } from '../../../retrieval/engines/open.ts';
import type { LearnedCache } from '../../../retrieval/cluster/learned.ts';
import type { IndexCache, LocalStage, LocalHooks } from '../../../retrieval/methods/method.ts';
import {
  openLocalSource,
  readEncoded,
  type OpenedLocal,
  type OpenedVectors,
} from '../../../retrieval/open-local.ts';
import type { Retrieval, Retriever } from '../../../retrieval/retriever.ts';
import { encodedSimilarities } from '../../../retrieval/similarities.ts';
import type { VectorCache } from '../../../retrieval/vector-cache.ts';
import type { FetchFile } from '../../../base/fetch-file.ts';
import { canonical, sha256 } from '../../../base/hash.ts';
import { EncoderHost } from '../../models/encoder-host.ts';
import type { EncoderStore } from '../../models/encoder-store.ts';
import { ClusterHost } from './cluster-host.ts';
import { fetchWithProgress } from '../../workers/fetch-progress.ts';
import { NO_BYTES } from '../../contract/progress.ts';
import { LocalSourcePool, type OpenLocalSource, type LocalLease } from './local-source-pool.ts';
import { NamesHost } from './names-host.ts';
import { createPace } from './pace.ts';
import type {
  LoadedWorld,
  OpenedRetriever,
  RetrievalFiles,
  RetrievalApi,
  RetrievalProgress,
  RetrieverSpec,
  WorldSeed,
} from '../../contract/retrieval.ts';
import type { PassageEncoder } from '../../../retrieval/sources.ts';
import { memoryFolder } from '../../../retrieval/world/memory-folder.ts';
import { recordsOf, writeWorld, type WorldRecords } from '../../../retrieval/world/write.ts';
import { openWorldRetriever, type WorldRetriever } from '../../../retrieval/open.ts';
import { loadWorld, type World } from '../../../retrieval/world/load.ts';
import { unknownNames } from '../../../agent/answers/look-up-names.ts';
import { mentionsIn, type Mentions } from '../../../retrieval/lexical/mentions.ts';
import { localMethod } from '../../../retrieval/methods/list.ts';

type CollectionsSpec = Extract<LocalSpec, { kind: 'collections' }>;

interface SetupParts {
  encoders: Pick<EncoderHost, 'encoder' | 'reranker'>;
  /** The encoder that ships with the page; it is shared and not disposed of. */
  builtIn: () => Promise<OnnxEncoder>;
  /** Where stored models run. */
  device?: EncoderDevice;
  vectorCache?: VectorCache | null;
  indexCache?: IndexCache | null;
  learnedCache?: LearnedCache | null;
}

interface OpenedSetup extends OpenedLocal {
  /** Its vectors; of lexical search, those that the encoder chosen beside it would make. */
  encoded(): Promise<OpenedVectors>;
  /** Ends the sessions that were opened for it. */
  dispose(): Promise<void>;
}

/**
 * A local source over the passages of collections, with the encoder and the reranker that a setup names.
 * @throws Error where one of them is not on this device; the signal's reason when aborted
 */
export async function openLocalSetup(
  { method, encoder: encoderId, reranker: rerankerId }: CollectionsSpec,
  passages: readonly Passage[],
  setup: SetupParts,
  hooks: LocalHooks = {},
): Promise<OpenedSetup> {
  const { encoders, builtIn, device = 'wasm', vectorCache = null } = setup;
  const { indexCache = null, learnedCache = null } = setup;
  const own: { dispose(): Promise<void> }[] = [];
  const keep = <T extends { dispose(): Promise<void> }>(model: T): T => {
    own.push(model);
    return model;
  };
  const dispose = async (): Promise<void> => {
    for (const model of own.splice(0)) await model.dispose();
  };
  try {
    const encoder = localMethod(method).dense ? await openEncoder() : null;
    const reranker = rerankerId === null ? null : keep(await encoders.reranker(rerankerId, device));
    const parts = { encoder, reranker, vectorCache, indexCache, learnedCache };
    const opened = await openLocalSource(passages, { method }, parts, hooks);
    return { ...opened, encoded: async () => opened.vectors ?? encodedLater(), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }

  async function openEncoder(): Promise<OnnxEncoder> {
    if (encoderId === 'built-in') return builtIn();
    return keep(await encoders.encoder(encoderId, device));
  }

  async function encodedLater(): Promise<OpenedVectors> {
    const encoder = await openEncoder();
    const read = (now: LocalHooks = {}) => readEncoded(encoder, passages, vectorCache, now);
    return { encoder, inMemory: false, read };
  }
}

/** What the two sources of a retriever mention; null for a search engine, which does not tell. */
type SourceMentions = Readonly<Record<SourceName, Mentions | null>>;

const mentionsOf = (
  passages: readonly Passage[],
  web: WebSpec,
  world: WorldRetriever,
): SourceMentions => ({
  local: mentionsIn(passages),
  web: web.kind === 'built-in' ? world.web.mentions : null,
});

/** Names of the question that no passage of these sources mentions. */
const unmentionedNames = (
  mentions: SourceMentions,
  question: string,
  sources: readonly SourceName[],
  signal: AbortSignal,
): Promise<string[]> =>
  unknownNames(
    question,
    sources.map((source) => mentions[source]),
    signal,
  );

interface BuiltInWorldDeps {
  files: () => FetchFile;
  /** The encoder that made the world's vectors. */
  encoder: () => Promise<OnnxEncoder>;
  /** Milliseconds added to every call of its web. */
  webDelayMs: () => number;
  /** Called before passages are indexed, while nothing else can be reported. */
  onIndexing: () => void;
}

/** The built-in world, open to search; `encoder` is null where it was made without vectors. */
interface OpenWorld {
  world: World;
  retriever: WorldRetriever;
  encoder: OnnxEncoder | null;
}

/** The built-in world, fetched and indexed once, when it is first needed. */
class BuiltInWorld {
  readonly #deps: BuiltInWorldDeps;
  readonly #load: () => Promise<World>;
  readonly #open: () => Promise<OpenWorld>;

  constructor(deps: BuiltInWorldDeps) {
    this.#deps = deps;
    this.#load = once(async () => loadWorld(deps.files()));
    this.#open = once(() => this.#openNow());
  }

  /** @throws Error that names the file at fault; the next call tries again */
  load(): Promise<World> {
    return this.#load();
  }

  open(): Promise<OpenWorld> {
    return this.#open();
  }

  async #openNow(): Promise<OpenWorld> {
    const world = await this.load();
    const encoder = world.vectors ? await this.#deps.encoder() : null;
    const { webDelayMs, files, onIndexing } = this.#deps;
    onIndexing();
    const retriever = openWorldRetriever(world, files(), { encoder, webDelayMs });
    // The first search of the web shall pay for its shards alone; a fault is recognised by that search.
    retriever.web.prepare().catch(() => undefined);
    return { world, retriever, encoder };
  }
}

/** Begins once; what failed is begun again by the next call. */
function once<T>(begin: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | null = null;
  return () => {
    if (known) return known;
    const begun = begin();
    known = begun;
    begun.catch(() => {
      if (known === begun) known = null;
    });
    return begun;
  };
}

/**
 * Passages and questions of a generated world. The generator is fetched when it is asked for: most pages
 * never make a world.
 */
async function madeRecords({ seed }: WorldSeed): Promise<WorldRecords> {
  const { generateWorld } = await import('../../../world/world.ts');
  return recordsOf(generateWorld({ seed }));
}

/** The files of a generated world, in memory. */
async function madeWorld(
  made: WorldSeed,
  encoder: PassageEncoder,
  onEncoded: (done: number, total: number) => void,
): Promise<FetchFile> {
  const folder = memoryFolder();
  await writeWorld(await madeRecords(made), folder.write, encoder, onEncoded);
  return folder.fetch;
}

/** Retrieval as it runs in a worker of its own. */

/** What lies on this device: imported passages, and caches that may be gone at any time. */
export interface RetrievalStorage {
  /** @throws Error where a collection is not there */
  passages(collections: readonly string[]): AsyncIterable<Passage[]>;
  indexCache: IndexCache | null;
  vectorCache: VectorCache | null;
  learnedCache: LearnedCache | null;
  encoders: EncoderStore;
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

interface ActiveRetriever extends OpenedRetriever {
  retriever: Retriever;
  mentions: SourceMentions;
}

interface Opening {
  promise: Promise<ActiveRetriever>;
  lease: LocalLease;
  /** Requests that wait for it; none once it is open. */
  waiting: number;
}

const worldNote = (encoder: OnnxEncoder | null): string =>
  encoder ? `BM25+ and ${encoder.id}, fused` : 'only BM25+: this world has no vectors';

const keyOf = ({ local, web }: RetrieverSpec): string => JSON.stringify([local, web]);

export class RetrievalHost implements RetrievalApi {
  #progress: RetrievalProgress = () => undefined;
  readonly #storage: RetrievalStorage;
  /** By the specification, last used last. */
  readonly #opened = new Map<string, Opening>();
  readonly #locals = new LocalSourcePool((spec, signal) => this.#openLocal(spec, signal));
  #files: RetrievalFiles | null = null;
  readonly #world = new BuiltInWorld({
    files: () => this.#worldFiles(),
    encoder: () => this.#builtIn(),
    webDelayMs: () => this.#webDelayMs,
    onIndexing: () => this.#progress('retrieval', 'indexing the passages', NO_BYTES),
  });
  #encoder: Promise<OnnxEncoder> | null = null;
  #made: Promise<FetchFile> | null = null;
  #webDelayMs = 0;
  /** Clusters of local sources, for the page that shows them. */
  readonly clusters: ClusterHost;
  /** Encoders and cross-encoders of this device. */
  readonly encoders: EncoderHost;
  /** Names of many questions, for evaluations. */
  readonly names: NamesHost;
  #ort: Promise<OrtModule> | null = null;

  constructor(storage: RetrievalStorage) {
    this.#storage = storage;
    this.encoders = new EncoderHost(storage.encoders, () => this.#runtime());
    this.clusters = new ClusterHost({
      local: (spec) => this.#local(spec),
      stop: (spec, reason) => this.#locals.stop(spec, reason),
      indexCache: storage.indexCache,
    });
    this.names = new NamesHost({
      passages: (spec) =>
        spec.kind === 'built-in' ? this.#builtInPassages() : storage.passages(spec.ids),
      web: async (spec) =>
        spec.kind === 'built-in' ? (await this.#world.open()).retriever.web.mentions : null,
      made: madeRecords,
    });
  }

  listen(listener: RetrievalProgress): void {
    this.#progress = listener;
  }

  start(files: RetrievalFiles): void {
    this.#files = files;
    this.#encoder = quietly(this.#openEncoder(files));
  }

  async loadWorld(): Promise<LoadedWorld> {
    const world = await this.#world.load();
    const { local, web } = world.manifest.counts;
    return {
      questions: world.questions,
      facts: { localPassages: local, webPassages: web, questions: world.questions.length },
      seed: world.manifest.seed,
      digest: await sha256(canonical(world.manifest)),
    };
  }

  async openRetriever(spec: RetrieverSpec, signal?: AbortSignal): Promise<OpenedRetriever> {
    const key = keyOf(spec);
    const opening = this.#opened.get(key) ?? this.#start(key, spec);
    this.#opened.delete(key);
    this.#opened.set(key, opening);
    this.#forget();
    opening.waiting++;
    const withdraw = () => this.#withdraw(key, opening);
    signal?.addEventListener('abort', withdraw, { once: true });
    try {
      const { note, local, memory } = await opening.promise;
      opening.waiting = 0;
      return { key, note, local, memory };
    } catch (error) {
      // The next call tries again.
      if (this.#opened.get(key) === opening) this.#opened.delete(key);
      opening.lease.release();
      throw error;
    } finally {
      signal?.removeEventListener('abort', withdraw);
    }
  }

  /** Takes back one request for sources that are not open yet. */
  #withdraw(key: string, opening: Opening): void {
    if (this.#opened.get(key) !== opening || opening.waiting === 0) return;
    opening.waiting--;
    if (opening.waiting > 0) return;
    this.#opened.delete(key);
    opening.lease.release();
  }

  async search(
    key: string,
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const opened = this.#opened.get(key);
    if (!opened) throw new Error('these sources are not open any more; start again');
    // What is searched was used last: a training run keeps its sources while others are tried.
    this.#opened.delete(key);
    this.#opened.set(key, opened);
    const { retriever } = await opened.promise;
    return retriever.search(source, query, k, signal);
  }

  async unknownNames(
    key: string,
    question: string,
    sources: readonly SourceName[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<string[]> {
    const opened = await this.#opened.get(key)?.promise;
    return opened ? unmentionedNames(opened.mentions, question, sources, signal) : [];
  }

  setWebDelay(ms: number): void {
    this.#webDelayMs = ms;
  }

  /** Memory is that of the few that were used last. */
  #forget(): void {
    while (this.#opened.size > KEPT) {
      const [key, { lease }] = [...this.#opened][0]!;
      this.#opened.delete(key);
      lease.release();
    }
  }

  /** A local source for those who look into it; it stays open as long as those that search it. */
  async #local(spec: LocalSpec): Promise<OpenLocalSource> {
    const found = this.#locals.find(spec);
    if (found) return found;
    await this.openRetriever({ local: spec, web: { kind: 'built-in' } });
    return this.#locals.find(spec) ?? Promise.reject(new Error('these sources were closed'));
  }

  #start(key: string, spec: RetrieverSpec): Opening {
    const lease = this.#locals.lease(spec.local);
    return { promise: quietly(this.#open(key, spec, lease.local)), lease, waiting: 0 };
  }

  async #open(
    key: string,
    { local, web }: RetrieverSpec,
    opening: Promise<OpenLocalSource>,
  ): Promise<ActiveRetriever> {
    const isBuiltIn = local.kind === 'built-in' && web.kind === 'built-in';
    const { retriever: world, encoder } = await this.#world.open();
    const opened = await opening;
    const source = openWebSource(web, {
      builtIn: () => world.web,
      similarities: encoder && encodedSimilarities(encoder),
    });
    return {
      key,
      note: opened.note,
      local: opened.passages.map(({ title }) => ({ title })),
      memory: opened.memory,
      mentions: mentionsOf(opened.passages, web, world),
      retriever: createRetriever({
        local: opened.source,
        web: source,
        // The built-in encoder knows the built-in world, and made the similarities of both its sources.
        compareBy: isBuiltIn ? 'similarity' : 'words',
        webDelayMs: () => this.#webDelayMs,
      }),
    };
  }

  async #openLocal(spec: LocalSpec, signal: AbortSignal): Promise<OpenLocalSource> {
    if (spec.kind === 'built-in') return this.#openBuiltIn(spec, signal);
    const report = createPace((stage, progress) => this.#progress('retrieval', stage, progress));
    const passages: Passage[] = [];
    for await (const some of this.#storage.passages(spec.ids)) {
      signal.throwIfAborted();
      passages.push(...some);
      report('reading passages', passages.length, 0);
    }
    if (passages.length === 0)
      throw new Error('The chosen collections have no passages; choose others on the Corpus page.');
    const { indexCache, vectorCache, learnedCache } = this.#storage;
    const opened = await openLocalSetup(
      spec,
      passages,
      {
        encoders: this.encoders,
        builtIn: () => this.#builtIn(),
        indexCache,
        vectorCache,
        learnedCache,
      },
      { signal, onProgress: (stage, done, total) => report(STAGES[stage], done, total) },
    );
    return { ...opened, spec, passages };
  }

  async *#builtInPassages(): AsyncGenerator<readonly Passage[]> {
    yield (await this.#world.load()).local;
  }

  async #openBuiltIn(
    spec: Extract<LocalSpec, { kind: 'built-in' }>,
    signal: AbortSignal,
  ): Promise<OpenLocalSource> {
    const { world, retriever, encoder } = await this.#world.open();
    const { vectors: table, local: passages } = world;
    const vectors =
      table && encoder ? { encoder, inMemory: true, read: () => Promise.resolve(table) } : null;
    const { indexCache, learnedCache } = this.#storage;
    const parts = { encoder, vectors: table, indexCache, learnedCache };
    const other =
      spec.method === undefined
        ? null
        : await openLocalSource(passages, { method: spec.method }, parts, { signal });
    return {
      spec,
      source: other?.source ?? retriever.local,
      note: other?.note ?? worldNote(encoder),
      passages,
      memory: other?.memory ?? null,
      vectors,
      clusters: other?.clusters ?? null,
      encoded: async () => {
        if (!vectors) throw new Error('The built-in world was made without vectors.');
        return vectors;
      },
      dispose: () => Promise.resolve(),
    };
  }

  #worldFiles(): FetchFile {
    if (!this.#files) throw new Error('the world is not loaded');
    if (this.#files.made) return this.#madeFiles(this.#files.made);
    return this.#fetching(this.#files.world, 'world', ['fetching', 'reading the world']);
  }

  /** Files of a world that is made when the first of them is asked for, once. */
  #madeFiles(made: NonNullable<RetrievalFiles['made']>): FetchFile {
    const report = createPace((stage, progress) => this.#progress('world', stage, progress));
    const make = async (): Promise<FetchFile> =>
      madeWorld(made, await this.#builtIn(), (done, total) =>
        report('encoding passages', done, total),
      );
    return async (...args) => (await (this.#made ??= quietly(make())))(...args);
  }

  async #builtIn(): Promise<OnnxEncoder> {
    if (!this.#encoder) throw new Error('the encoder is not loaded');
    return this.#encoder;
  }

  /** @param words while files come, and once they are here and are made use of */
  #fetching(
    base: string,
    part: 'world' | 'retrieval',
    words: readonly [string, string],
  ): FetchFile {
    const [fetching, then] = words;
    return fetchWithProgress(
      base,
      (bytes) => this.#progress(part, fetching, bytes),
      () => this.#progress(part, then, NO_BYTES),
    );
  }

  async #openEncoder({ encoder }: RetrievalFiles): Promise<OnnxEncoder> {
    const words = ['fetching the encoder', 'opening the encoder'] as const;
    const fetchFile = this.#fetching(encoder, 'retrieval', words);
    const opened = await OnnxEncoder.open(fetchFile, () => this.#runtime());
    this.#progress('retrieval', 'preparing search', NO_BYTES);
    return opened;
  }

  async #loadRuntime(ortWasm: string): Promise<OrtModule> {
    const slash = ortWasm.lastIndexOf('/') + 1;
    const words = ['fetching the encoder runtime', 'starting the encoder runtime'] as const;
    const fetchFile = this.#fetching(ortWasm.slice(0, slash), 'retrieval', words);
    return loadOrt('wasm', await fetchFile(ortWasm.slice(slash)));
  }

  /** One runtime for all encoders, loaded when one needs it first; one that did not arrive is fetched again. */
  async #runtime(): Promise<OrtModule> {
    if (!this.#files) throw new Error('the encoder is not loaded');
    this.#ort ??= this.#loadRuntime(this.#files.ortWasm).catch((error: unknown) => {
      this.#ort = null;
      throw error;
    });
    return this.#ort;
  }
}
