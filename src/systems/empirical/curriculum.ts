import { deriveSeed } from '../../base/random.ts';
import { itemAt } from '../../base/items.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import type { Retrieval, Retriever } from '../../retrieval/retriever.ts';
import type { CurriculumGround } from '../../learn/curriculum/provided.ts';
import type { Curriculum } from '../../learn/rl/contracts.ts';
import type { Params } from './system.ts';
import { UniformCurriculum } from '../../learn/rl/uniform.ts';
import { NoisyRetriever } from '../../learn/curriculum/noisy-retriever.ts';

/**
 * The engine axis of the empirical study (arXiv 2505.15117): the same training with a worse engine. `random`: what is
 * brought has nothing to do with the query. Difference: passages are those that the text of another question brings,
 * one draw per query, in place of passages drawn uniformly: an index can be asked, not listed.
 */
class RandomRetriever implements Retriever {
  readonly #base: Retriever;
  readonly #others: readonly Question[];
  readonly #seed: number;

  constructor(base: Retriever, others: readonly Question[], seed: number) {
    this.#base = base;
    this.#others = others;
    this.#seed = seed;
  }

  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    const at = deriveSeed(this.#seed, 'random', source, query) % this.#others.length;
    const other = itemAt(this.#others, at, 'questions');
    return { ...(await this.#base.search(source, other.text, k, signal)), query };
  }
}

/** Questions as they come, searched by a noisy engine or by one that knows nothing. */
export function curriculum(
  { engine, noise = 0.5 }: Params,
  { questions, retriever, seed: base }: CurriculumGround,
): Curriculum {
  const engineFor = ({ id, supporting }: Question): Retriever => {
    const seed = deriveSeed(base, 'engine', id);
    if (engine === 'noisy')
      return new NoisyRetriever(retriever, { strength: noise, seed, supporting });
    const others = questions.filter((question) => question.id !== id);
    return new RandomRetriever(retriever, others.length > 0 ? others : questions, seed);
  };
  return new UniformCurriculum(questions, base, (drawn) =>
    drawn.map((question) => ({
      question,
      label: engine,
      agent: { retriever: engineFor(question) },
    })),
  );
}
