import { deriveSeed, Random } from '../base/random.ts';
import type { Hit, SearchTarget } from '../records/hits.ts';
import type { Question } from '../records/records.ts';
import type { Retrieval, Retriever } from './retriever.ts';

/*
 * Retrievers that know what a question needs. What a policy answers with them is the ceiling of its reading;
 * they are no systems that could be used.
 */

/** Ids of the passages that state the steps of the gold chain, in its order. */
const goldIds = ({ chain = [] }: Question): string[] => [
  ...new Set(chain.map(({ passageId }) => passageId)),
];

/** Gold passages, filled up to k with what was found beside them, in an order that tells neither. */
function among(gold: readonly Hit[], found: readonly Hit[], k: number, seed: number): Hit[] {
  const ids = new Set(gold.map(({ passage }) => passage.id));
  const others = found.filter(({ passage }) => !ids.has(passage.id));
  const hits = [...gold, ...others.slice(0, Math.max(0, k - gold.length))];
  return new Random(seed).shuffle(hits);
}

/** It gives a passage for every step of the gold chain, and fills up with what the base finds for the query. */
export class GoldRetriever implements Retriever {
  /** @param passages of both corpora as hits, by id */
  constructor(
    private readonly base: Retriever,
    private readonly question: Question,
    private readonly passages: ReadonlyMap<string, Hit>,
  ) {}

  /** @param k passages in all, or as many as the chain needs where these are more */
  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const found = await this.base.search(source, query, k, signal);
    const gold = goldIds(this.question).flatMap((id) => this.passages.get(id) ?? []);
    const seed = deriveSeed(0, 'gold', this.question.id);
    return { ...found, hits: among(gold, found.hits, k, seed) };
  }
}

/**
 * The same as results of a policy's own searches, a retriever a rollout: each brings the passage of the first step that no
 * search has brought yet (after the last step: its own again), and what the base finds beside it.
 */
export class GoldSearches implements Retriever {
  #searches = 0;

  /** @param passages of both corpora as hits, by id */
  constructor(
    private readonly base: Retriever,
    private readonly question: Question,
    private readonly passages: ReadonlyMap<string, Hit>,
  ) {}

  /** @param k passages in all; of a question without a chain those that the base finds */
  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const search = this.#searches++;
    const found = await this.base.search(source, query, k, signal);
    const ids = goldIds(this.question);
    const gold = this.passages.get(ids[Math.min(search, ids.length - 1)] ?? '');
    const seed = deriveSeed(0, 'gold', this.question.id, search);
    return { ...found, hits: among(gold ? [gold] : [], found.hits, k, seed) };
  }
}
