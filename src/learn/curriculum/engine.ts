import { deriveSeed } from '../../base/random.ts';
import { itemAt } from '../../base/items.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Retrieval, Retriever } from '../../retrieval/retriever.ts';
import type { Curriculum, DrawnQuestion, Json } from '../rl/contracts.ts';
import { UniformCurriculum } from '../rl/uniform.ts';
import { NoisyRetriever } from './noisy-retriever.ts';

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
export class EngineCurriculum implements Curriculum {
  readonly #questions: UniformCurriculum;
  readonly #all: readonly Question[];
  readonly #retriever: Retriever;
  readonly #settings: TrainSettings['curriculum'];
  readonly #seed: number;

  /** @throws Error without questions */
  constructor(
    { curriculum }: Pick<TrainSettings, 'curriculum'>,
    questions: readonly Question[],
    retriever: Retriever,
    seed: number,
  ) {
    this.#questions = new UniformCurriculum(questions, seed);
    this.#all = questions;
    this.#retriever = retriever;
    this.#settings = curriculum;
    this.#seed = seed;
  }

  async draw(request: { step: number; batch: number; count: number }): Promise<DrawnQuestion[]> {
    const drawn = await this.#questions.draw(request);
    const label = this.#settings.engine ?? 'random';
    return drawn.map(({ question }) => ({
      question,
      label,
      agent: { retriever: this.#engineFor(question) },
    }));
  }

  state(): Json {
    return this.#questions.state();
  }

  restore(state: Json): void {
    this.#questions.restore(state);
  }

  #engineFor(question: Question): Retriever {
    const seed = deriveSeed(this.#seed, 'engine', question.id);
    const { supporting } = question;
    if (this.#settings.engine === 'noisy')
      return new NoisyRetriever(this.#retriever, {
        strength: this.#settings.noise,
        seed,
        supporting,
      });
    const others = this.#all.filter(({ id }) => id !== question.id);
    return new RandomRetriever(this.#retriever, others.length > 0 ? others : this.#all, seed);
  }
}
