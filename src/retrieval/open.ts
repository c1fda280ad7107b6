import { createRetriever } from './create.ts';
import { ExactIndex, type DenseIndex, type VectorTable } from './dense/dense.ts';
import type { FetchFile } from '../base/fetch-file.ts';
import { LexicalIndex } from './lexical/lexical.ts';
import { LocalSource } from './local.ts';
import { openLocalSource } from './open-local.ts';
import { openByMethod, type Retriever } from './retriever.ts';
import { encodedSimilarities, type Similarities } from './similarities.ts';
import type { PassageEncoder, QueryEncoder, Source, SourceResult } from './sources.ts';
import { WebIndex } from './web/client.ts';
import type { World } from './world/load.ts';
import type { Hit } from '../records/hits.ts';
import type { Mentions } from './lexical/mentions.ts';
import type { WebSearchOptions } from './web/shard-store.ts';

/** The web corpus after its static index. The index is opened by the first search that needs it. */
export class WebSource implements Source {
  readonly name = 'web' as const;
  /** `off` makes every call pay for all of its shards. */
  cache: NonNullable<WebSearchOptions['cache']>;
  readonly #open: () => Promise<WebIndex>;
  readonly #similarities: Similarities | null;
  #index: Promise<WebIndex> | null = null;

  /** @param similarities fills in the similarity of each hit; ranks stay those of BM25 */
  constructor(
    open: () => Promise<WebIndex>,
    similarities: Similarities | null = null,
    cache: WebSource['cache'] = 'memory',
  ) {
    this.#open = open;
    this.#similarities = similarities;
    this.cache = cache;
  }

  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    const index = await this.#opened();
    const { ranked, requests, bytes } = await index.search(query, k, { signal, cache: this.cache });
    const passages = ranked.map(({ passage }) => passage);
    const similarities = await this.#similarities?.(query, passages, signal);
    const hits = ranked.map(({ passage, score }, i): Hit => {
      const similarity = similarities?.[i];
      return {
        passage,
        score,
        source: this.name,
        lexicalRank: i + 1,
        similarity,
      };
    });
    return { hits, requests, bytes };
  }

  /** Which words its passages mention; it cannot list them all. */
  get mentions(): Mentions {
    return {
      together: async (words, signal) =>
        (await this.#opened()).together(words, { signal, cache: this.cache }),
      almost: () => Promise.resolve(false),
    };
  }

  /** Opens the index ahead of the first search. A failure is not kept: the next search tries again. */
  async prepare(): Promise<void> {
    await this.#opened();
  }

  #opened(): Promise<WebIndex> {
    this.#index ??= this.#open().catch((error: unknown) => {
      this.#index = null;
      throw error;
    });
    return this.#index;
  }
}

export interface WorldRetrieverOptions {
  /** Encodes queries and web passages; null for lexical search only. Its id must be the one of the world's vectors. */
  encoder?: (QueryEncoder & PassageEncoder) | null;
  /** Builds the dense index; the exact scan by default. */
  dense?: (vectors: VectorTable) => DenseIndex;
  /** Milliseconds added to each call to the web, read at each call. */
  webDelayMs?: () => number;
  /** `off`: every web call pays for all of its shards. */
  webCache?: 'memory' | 'off';
}

/** A retriever with its parts, for those who want to change a setting or ask one source. */
export interface WorldRetriever extends Retriever {
  readonly local: LocalSource;
  readonly web: WebSource;
}

/** Indexes a loaded world: local passages in memory, the web by `fetchFile`. */
export function openWorldRetriever(
  world: World,
  fetchFile: FetchFile,
  options: WorldRetrieverOptions = {},
): WorldRetriever {
  const { encoder = null, dense = (vectors) => new ExactIndex(vectors), webDelayMs } = options;
  const local = new LocalSource(
    world.local,
    new LexicalIndex(world.local),
    encoder && { index: dense(vectorsFor(world, encoder.id)), encoder },
  );
  const web = new WebSource(
    () => WebIndex.open(fetchFile),
    encoder && encodedSimilarities(encoder),
    options.webCache,
  );
  // Where there is an encoder, it made the similarities of both.
  const compareBy = encoder ? 'similarity' : 'words';
  const over = (source: Source): Retriever =>
    createRetriever({ local: source, web, compareBy, ...(webDelayMs && { webDelayMs }) });
  const by = openByMethod(async (method) => {
    const { vectors } = world;
    return over((await openLocalSource(world.local, { method }, { encoder, vectors })).source);
  });
  return { local, web, by, ...over(local) };
}

function vectorsFor(world: World, encoderId: string): VectorTable {
  if (!world.vectors) throw new Error('this world has no vectors; build it with an encoder');
  const made = world.manifest.vectors?.encoder;
  if (made !== encoderId) {
    throw new Error(
      `the world's vectors come from encoder ${made}, the loaded one is ${encoderId}`,
    );
  }
  return world.vectors;
}
