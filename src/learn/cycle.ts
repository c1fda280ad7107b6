import { deriveSeed } from '../base/random.ts';
import { Random } from '../base/random.ts';
import { itemAt } from '../base/items.ts';

/**
 * Things in turn: all of them once in a shuffled order, then again in another. What round e holds
 * depends only on seed and e, so the number of draws is the whole state.
 */
export class Cycle<T> {
  readonly #items: readonly T[];
  readonly #seed: number;
  #round = -1;
  #order: readonly T[] = [];

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
    return itemAt(this.#order, draw % this.#items.length, 'order of questions');
  }

  #shuffle(round: number): void {
    const random = new Random(deriveSeed(this.#seed, 'epoch', round));
    this.#order = random.shuffle(this.#items);
    this.#round = round;
  }
}
