import type { Question } from '../../records/records.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Curriculum, DrawnQuestion, Json } from '../rl/contracts.ts';
import { UniformCurriculum } from '../rl/uniform.ts';
import { noiseRate, SimulatedRetriever } from './simulated-retriever.ts';

/** ZeroSearch's constants (its code): noise from 0 to one half, growing by powers of 4. */
const SCHEDULE = { start: 0, end: 0.5, base: 4 } as const;

/**
 * ZeroSearch's curriculum (arXiv 2505.04588): questions as they come, searched by a simulated engine whose noise
 * grows over the run.
 */
export class SimulatedCurriculum implements Curriculum {
  readonly #questions: UniformCurriculum;
  readonly #retriever: Retriever;
  readonly #steps: number;
  readonly #seed: number;

  /** @throws Error without questions */
  constructor(
    { steps }: Pick<TrainSettings, 'steps'>,
    questions: readonly Question[],
    retriever: Retriever,
    seed: number,
  ) {
    this.#questions = new UniformCurriculum(questions, seed);
    this.#retriever = retriever;
    this.#steps = steps;
    this.#seed = seed;
  }

  async draw(request: { step: number; batch: number; count: number }): Promise<DrawnQuestion[]> {
    const { step, batch } = request;
    const rate = noiseRate(step, this.#steps, SCHEDULE);
    const drawn = await this.#questions.draw(request);
    return drawn.map(({ question }, i) => ({
      question,
      label: 'simulated',
      agent: {
        retriever: new SimulatedRetriever(
          this.#retriever,
          question,
          rate,
          deriveSeed(this.#seed, 'simulated', step, batch, i),
        ),
      },
    }));
  }

  state(): Json {
    return this.#questions.state();
  }

  restore(state: Json): void {
    this.#questions.restore(state);
  }
}
