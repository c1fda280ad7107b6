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
    for (; at > 0 && score > (this.#scores[at - 1] ?? 0); at--) {
      this.#scores[at] = this.#scores[at - 1] ?? 0;
      this.#rows[at] = this.#rows[at - 1] ?? 0;
    }
    this.#scores[at] = score;
    this.#rows[at] = row;
    this.#count = Math.min(this.#count + 1, this.#scores.length);
  }

  list(): Neighbour[] {
    return Array.from({ length: this.#count }, (_, i) => ({
      index: this.#rows[i] ?? 0,
      similarity: this.#scores[i] ?? 0,
    }));
  }
}
