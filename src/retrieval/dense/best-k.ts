import { itemAt } from '../../base/items.ts';
import type { Neighbour } from './dense.ts';

/** The k best of a stream of scores, best first; ties to the earlier. Keeps k entries, by insertion. */
export class BestK {
  readonly #rows: Int32Array;
  readonly #scores: Float64Array;
  #count = 0;

  constructor(k: number) {
    this.#rows = new Int32Array(k);
    this.#scores = new Float64Array(k).fill(-Infinity);
  }

  offer(row: number, score: number): void {
    const last = this.#scores.length - 1;
    // Most scores end here; with no room at all, every one.
    if (!(score > (this.#scores[last] ?? Infinity))) return;
    let at = last;
    // Above the first is nothing: no score is greater than NaN.
    for (; score > (this.#scores[at - 1] ?? NaN); at--) {
      this.#scores[at] = itemAt(this.#scores, at - 1);
      this.#rows[at] = itemAt(this.#rows, at - 1);
    }
    this.#scores[at] = score;
    this.#rows[at] = row;
    this.#count = Math.min(this.#count + 1, this.#scores.length);
  }

  list(): Neighbour[] {
    return Array.from({ length: this.#count }, (_, i) => ({
      index: itemAt(this.#rows, i),
      similarity: itemAt(this.#scores, i),
    }));
  }
}
