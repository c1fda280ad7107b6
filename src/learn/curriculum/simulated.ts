import type { Question } from '../../records/records.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Curriculum, DrawnQuestion, Json } from '../rl/contracts.ts';
import { UniformCurriculum } from '../rl/uniform.ts';
import { SearchRounds } from './search-rounds.ts';
import { noiseRate, SimulatedByPlace, SimulatedRetriever } from './simulated-retriever.ts';

/** ZeroSearch's constants (its code): noise from 0 to one half, growing by powers of 4. */
const SCHEDULE = { start: 0, end: 0.5, base: 4 } as const;

/**
 * ZeroSearch's curriculum (arXiv 2505.04588): questions as they come, searched by a simulated engine whose noise
 * grows over the run.
 */
export class SimulatedCurriculum implements Curriculum {
  readonly #questions: UniformCurriculum;
  readonly #retriever: Retriever;
  readonly #settings: Pick<TrainSettings, 'steps' | 'curriculum'>;
  readonly #seed: number;

  /** @throws Error without questions */
  constructor(
    settings: Pick<TrainSettings, 'steps' | 'curriculum'>,
    questions: readonly Question[],
    retriever: Retriever,
    seed: number,
  ) {
    this.#questions = new UniformCurriculum(questions, seed);
    this.#retriever = retriever;
    this.#settings = settings;
    this.#seed = seed;
  }

  async draw(request: { step: number; batch: number; count: number }): Promise<DrawnQuestion[]> {
    const { step, batch } = request;
    const { steps, curriculum } = this.#settings;
    const rate = noiseRate(step, steps, SCHEDULE);
    const drawn = await this.#questions.draw(request);
    const rounds = new SearchRounds<Question>();
    return drawn.map(({ question }, i) => {
      const seed = deriveSeed(this.#seed, 'simulated', step, batch, i);
      const told = (of: Question): Retriever =>
        new SimulatedRetriever(this.#retriever, of, rate, seed);
      const byPlace = curriculum.simulator === 'by-place';
      const retriever = byPlace ? new SimulatedByPlace(told, question, rounds) : told(question);
      return { question, label: 'simulated', agent: { retriever } };
    });
  }

  state(): Json {
    return this.#questions.state();
  }

  restore(state: Json): void {
    this.#questions.restore(state);
  }
}
