import type { Hit } from '../../records/hits.ts';
import type { Reranker, Source, SourceResult } from './sources.ts';

/** How many passages a reranker is shown where fewer are wanted. */
const RERANK_DEPTH = 50;

/**
 * Orders what a source found by a reranker: the first `depth` passages, of which the k best are given.
 * The score of a hit becomes the reranker's; its ranks in the lists before stay to be seen.
 */
export class RerankedSource implements Source {
  readonly #source: Source;
  readonly #reranker: Reranker;
  readonly #depth: number;

  constructor(source: Source, reranker: Reranker, depth = RERANK_DEPTH) {
    this.#source = source;
    this.#reranker = reranker;
    this.#depth = depth;
  }

  get name(): Source['name'] {
    return this.#source.name;
  }

  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    const found = await this.#source.search(query, Math.max(k, this.#depth), signal);
    const scores = await this.#reranker.score(
      query,
      found.hits.map(({ passage }) => passage),
      signal,
    );
    const hits = found.hits
      .map((hit, i): Hit => ({ ...hit, score: scores[i] ?? -Infinity }))
      // Equal scores keep the order in which they came: the sort is stable.
      .sort((a, b) => b.score - a.score)
      .slice(0, k);
    return { ...found, hits };
  }
}
