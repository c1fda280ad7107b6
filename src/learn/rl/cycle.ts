import { deriveSeed } from '../../base/seeds.ts';
import { Random } from '../../base/random.ts';

/**
 * Things in turn: all of them once in a shuffled order, then again in another. What round e holds
 * depends on seed and e alone, so the number of draws is the whole state.
 */
export class Cycle<T> {
  readonly #items: readonly T[];
  readonly #seed: number;
  #round = -1;
  #order: number[] = [];

  /** @throws Error without items */
  constructor(items: readonly T[], seed: number) {
    if (items.length === 0) throw new Error('curriculum: there are no questions');
    this.#items = items;
    this.#seed = seed;
  }

  /** The draw of this number, from 0. */
  at(draw: number): T {
    const round = Math.floor(draw / this.#items.length);
    if (round !== this.#round) this.#shuffle(round);
    return this.#items[this.#order[draw % this.#items.length]!]!;
  }

  #shuffle(round: number): void {
    const random = new Random(deriveSeed(this.#seed, 'epoch', round));
    this.#order = this.#items.map((_, i) => i);
    for (let i = this.#order.length - 1; i > 0; i--) {
      const j = Math.floor(random.next() * (i + 1));
      [this.#order[i], this.#order[j]] = [this.#order[j]!, this.#order[i]!];
    }
    this.#round = round;
  }
}
