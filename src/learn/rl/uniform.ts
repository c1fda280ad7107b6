import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { Cycle } from '../sampling/cycle.ts';
import type { Curriculum, DrawnQuestion, Json } from './contracts.ts';

const stateSchema = z.strictObject({ drawn: z.int().min(0) });

/** Questions as they come: all of them once in a shuffled order, then again in another. */
export class UniformCurriculum implements Curriculum {
  readonly #questions: Cycle<Question>;
  #drawn = 0;

  /** @throws Error without questions */
  constructor(questions: readonly Question[], seed: number) {
    this.#questions = new Cycle(questions, seed);
  }

  draw({ count }: { count: number }): Promise<DrawnQuestion[]> {
    return Promise.resolve(
      Array.from({ length: count }, () => ({
        question: this.#questions.at(this.#drawn++),
        label: 'uniform',
      })),
    );
  }

  state(): Json {
    return { drawn: this.#drawn };
  }

  restore(state: Json): void {
    this.#drawn = stateSchema.parse(state).drawn;
  }
}
