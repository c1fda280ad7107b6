import type { Hit, SearchTarget } from '../../records/hits.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import { retrieverByMethod, type Retrieval, type Retriever } from '../../retrieval/retriever.ts';

export interface NoiseOptions {
  /** Probability with which each passage of a result is replaced, 0 to 1. */
  strength: number;
  seed: number;
  /** Titles whose clean passages are never put in as noise. */
  supporting: readonly string[];
}

/** How much further down the list noise is looked for, in passages. */
const DEPTH = 8;

/**
 * A retriever that gives way to noise: each passage of a result is, with probability `strength`,
 * replaced by another one that the same source ranks below it and that does not support the question
 * (passages known to be stale or contradicting first). What is replaced follows from seed, source,
 * query and place only, so that a query repeated in the group meets the same noise. Times and bytes
 * are those of the undisturbed call.
 */
export class NoisyRetriever implements Retriever {
  readonly #base: Retriever;
  readonly #options: NoiseOptions;

  constructor(base: Retriever, options: NoiseOptions) {
    this.#base = base;
    this.#options = options;
  }

  by(method: string): NoisyRetriever {
    return new NoisyRetriever(retrieverByMethod(this.#base, method), this.#options);
  }

  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const clean = await this.#base.search(source, query, k, signal);
    const { seed, strength } = this.#options;
    const replaced = clean.hits.map(
      (_, place) => uniform(deriveSeed(seed, source, query, place)) < strength,
    );
    if (!replaced.includes(true)) return clean;
    const noise = await this.#noise(source, query, clean.hits, signal);
    return {
      ...clean,
      hits: clean.hits.map((hit, place) => (replaced[place] ? (noise.shift() ?? hit) : hit)),
    };
  }

  /** Passages beside those shown that do not support the question: known noise, then by rank. */
  async #noise(
    source: SearchTarget,
    query: string,
    shown: readonly Hit[],
    signal?: AbortSignal,
  ): Promise<Hit[]> {
    const deeper = await this.#base.search(source, query, 2 * shown.length + DEPTH, signal);
    const ids = new Set(shown.map(({ passage }) => passage.id));
    const { supporting } = this.#options;
    const usable = deeper.hits.filter(
      ({ passage }) =>
        !ids.has(passage.id) &&
        (passage.noise !== undefined || !supporting.includes(passage.title)),
    );
    const known = usable.filter(({ passage }) => passage.noise !== undefined);
    return [...known, ...usable.filter((hit) => !known.includes(hit))];
  }
}
