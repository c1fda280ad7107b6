import { deriveSeed, Random } from '../base/random.ts';
import type { Hit, SearchTarget } from '../records/hits.ts';
import type { Question } from '../records/records.ts';
import type { Retrieval, Retriever } from './retriever.ts';

/**
 * A retriever that knows what a question needs: it gives a passage for every step of the gold chain, and
 * fills up with what the base finds for the query. What a policy answers with it is the ceiling of its
 * reading; it is no system that could be used.
 */
export class GoldRetriever implements Retriever {
  readonly #base: Retriever;
  readonly #question: Question;
  readonly #passages: ReadonlyMap<string, Hit>;

  /** @param passages of both corpora as hits, by id */
  constructor(base: Retriever, question: Question, passages: ReadonlyMap<string, Hit>) {
    this.#base = base;
    this.#question = question;
    this.#passages = passages;
  }

  /** @param k passages in all, or as many as the chain needs where these are more */
  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const found = await this.#base.search(source, query, k, signal);
    const ids = [...new Set((this.#question.chain ?? []).map(({ passageId }) => passageId))];
    const gold = ids.flatMap((id) => this.#passages.get(id) ?? []);
    const others = found.hits.filter(({ passage }) => !ids.includes(passage.id));
    const seed = deriveSeed(0, 'gold', this.#question.id);
    const hits = [...gold, ...others.slice(0, Math.max(0, k - gold.length))];
    return { ...found, hits: new Random(seed).shuffle(hits) };
  }
}
