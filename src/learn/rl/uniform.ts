import { z } from 'zod';
import type { Question } from '../../records/records.ts';
import { Cycle } from '../cycle.ts';
import type { Curriculum, DrawnQuestion, DrawRequest, Json } from './contracts.ts';

const stateSchema = z.strictObject({ drawn: z.int().min(0) });

/** What a curriculum makes of the questions that are drawn together. */
export type Dress = (questions: readonly Question[], request: DrawRequest) => DrawnQuestion[];

const plainly: Dress = (questions) => questions.map((question) => ({ question, label: 'uniform' }));

/** Questions as they come: all of them once in a shuffled order, then again in another. */
export class UniformCurriculum implements Curriculum {
  readonly #questions: Cycle<Question>;
  readonly #dress: Dress;
  #drawn = 0;

  /** @throws Error without questions */
  constructor(questions: readonly Question[], seed: number, dress = plainly) {
    this.#questions = new Cycle(questions, seed);
    this.#dress = dress;
  }

  draw(request: DrawRequest): Promise<DrawnQuestion[]> {
    const drawn = Array.from({ length: request.count }, () => this.#questions.at(this.#drawn++));
    return Promise.resolve(this.#dress(drawn, request));
  }

  state(): Json {
    return { drawn: this.#drawn };
  }

  restore(state: Json): void {
    this.#drawn = stateSchema.parse(state).drawn;
  }
}
