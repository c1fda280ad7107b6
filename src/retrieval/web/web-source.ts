import type { Hit } from '../../records/hits.ts';
import type { Mentions } from '../lexical/mentions.ts';
import type { Source, SourceResult } from '../sources/sources.ts';
import type { Similarities } from '../sources/similarities.ts';
import type { WebIndex } from './client.ts';
import type { WebSearchOptions } from './shard-store.ts';

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
