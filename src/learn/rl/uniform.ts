import { z } from 'zod';
import type { Question } from '../../data/records.ts';
import { deriveSeed } from '../../agent/index.ts';
import { Random } from '../../policy/random.ts';
import type { Curriculum, DrawnQuestion, Json } from './contracts.ts';

const stateSchema = z.strictObject({ drawn: z.int().min(0) });

/**
 * Questions as they come: all of them once in a shuffled order, then again in another. What epoch e
 * holds depends on seed and e alone, so the number of draws is the whole state.
 */
export class UniformCurriculum implements Curriculum {
  readonly #questions: readonly Question[];
  readonly #seed: number;
  #drawn = 0;
  #epoch = -1;
  #order: number[] = [];

  /** @throws Error without questions */
  constructor(questions: readonly Question[], seed: number) {
    if (questions.length === 0) throw new Error('curriculum: there are no questions');
    this.#questions = questions;
    this.#seed = seed;
  }

  draw({ count }: { count: number }): Promise<DrawnQuestion[]> {
    return Promise.resolve(
      Array.from({ length: count }, () => ({ question: this.#next(), label: 'uniform' })),
    );
  }

  state(): Json {
    return { drawn: this.#drawn };
  }

  restore(state: Json): void {
    this.#drawn = stateSchema.parse(state).drawn;
  }

  #next(): Question {
    const size = this.#questions.length;
    const epoch = Math.floor(this.#drawn / size);
    if (epoch !== this.#epoch) this.#shuffle(epoch);
    return this.#questions[this.#order[this.#drawn++ % size]!]!;
  }

  #shuffle(epoch: number): void {
    const random = new Random(deriveSeed(this.#seed, 'epoch', epoch));
    this.#order = this.#questions.map((_, i) => i);
    for (let i = this.#order.length - 1; i > 0; i--) {
      const j = Math.floor(random.next() * (i + 1));
      [this.#order[i], this.#order[j]] = [this.#order[j]!, this.#order[i]!];
    }
    this.#epoch = epoch;
  }
}
