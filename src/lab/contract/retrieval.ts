import type { ClusterApi } from './clusters.ts';
import type { EncoderApi } from './encoders.ts';
import type { SearchTarget, SourceName } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { LocalSpec, WebSpec } from '../../records/setup.ts';
import type { LocalMemory } from '../../retrieval/open-local.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { ByteProgress, PartShare } from './progress.ts';
import type { WorldFacts } from './ask.ts';

/** What the lab worker and the retrieval worker say to each other. */

/** A world that is generated from its seed. */
export interface WorldSeed {
  seed: number;
}

export interface RetrievalFiles {
  /** Folder of the built-in world, with a slash at its end. */
  world: string;
  /** In place of the built-in one. */
  made?: WorldSeed;
  /** Folder of the encoder, with a slash at its end. */
  encoder: string;
  /** onnxruntime's WebAssembly file. */
  ortWasm: string;
}

/** How far a stage of loading is. */
export type RetrievalProgress = (
  part: 'world' | 'retrieval',
  stage: string,
  progress: ByteProgress | PartShare,
) => void;

export interface LoadedWorld {
  questions: WorldQuestion[];
  facts: WorldFacts;
  /** Seed of the generator that made it. */
  seed: number;
  /** SHA-256 of its manifest: of all that its searches may find. */
  digest?: string;
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

/** How far a look-up of names is, as text and as a share. */
export type NamesProgress = (stage: string, progress: PartShare) => void;

export interface NamesRequest {
  sources: RetrieverSpec;
  /** Those of the two that are asked. */
  asked: readonly SourceName[];
  questions: readonly string[];
  /** Passages of the local source, where that is known; else 0. */
  passages: number;
  /** The world in place of the built-in one. */
  made?: WorldSeed;
}

/** What the names of a world's question are looked up by. */
export type NamingQuestion = Pick<WorldQuestion, 'text' | 'answers'> &
  Partial<Pick<WorldQuestion, 'split'>>;

/** Names of many questions at once; nothing is indexed for it that is not indexed already. */
export interface NamesApi {
  /** All questions of a world, which is made for it. */
  questionsOf(made: WorldSeed, onProgress: NamesProgress): Promise<NamingQuestion[]>;
  /**
   * Of every question the names that no passage of these sources mentions; null where a source does not
   * tell, as a search engine.
   * @throws the signal's reason
   */
  unknownOfAll(
    request: NamesRequest,
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): Promise<string[][] | null>;
}

/** What the retrieval worker offers. */
export interface RetrievalApi {
  /** Progress of everything that is loaded from now on arrives at `listener`. */
  listen(listener: RetrievalProgress): void;
  /** Says where the files lie; the encoder is on its way from now on. */
  start(files: RetrievalFiles): void;
  /** Fetches the built-in world, or finds it loaded. */
  loadWorld(): Promise<LoadedWorld>;
  /**
   * Opens encoder and indexes, or finds them open.
   * @param signal withdraws this request; when nobody else waits for these sources, building them stops
   */
  openRetriever(spec: RetrieverSpec, signal?: AbortSignal): Promise<OpenedRetriever>;
  /** @param key of the opened sources */
  search(
    key: string,
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval>;
  /** Names of the question that no passage of these sources mentions. */
  unknownNames(
    key: string,
    question: string,
    sources: readonly SourceName[],
    signal?: AbortSignal,
  ): Promise<string[]>;
  setWebDelay(ms: number): void;
  clusters: ClusterApi;
  encoders: EncoderApi;
  names: NamesApi;
}
