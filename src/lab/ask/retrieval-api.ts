import type { SearchTarget, SourceName } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { LocalSpec, WebSpec } from '../../records/setup.ts';
import type { LocalMemory } from '../../retrieval/open-local.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { ByteProgress } from '../corpus/retrieval/fetch-progress.ts';
import type { WorldFacts } from './messages.ts';
import type { PartShare } from './parts.ts';

/** What the page and the retrieval worker say to each other. */

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
  /** Stops a search or a look-up of names. */
  abort(call: number): void;
  /** Names of the question that no passage of these sources mentions. */
  unknownNames(
    call: number,
    key: string,
    question: string,
    sources: readonly SourceName[],
  ): Promise<string[]>;
  setWebDelay(ms: number): void;
}
