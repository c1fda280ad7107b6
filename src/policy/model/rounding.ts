import type { PackedRows, RoundingError } from '../checkpoint/packed-rows.ts';
import { GROUP, heldValues, quantise } from '../ops/quantise.ts';
import type { MatrixType } from '../ops/values.ts';

/** Rounds rows of a matrix to the type that it is held in, and keeps the largest difference. */
export class RoundingErrors implements RoundingError {
  readonly #columns: number;
  readonly #type: MatrixType;
  worst = 0;
  /** As a share of the largest value of the group of 32 that it is in. */
  share = 0;

  constructor(columns: number, type: MatrixType) {
    [this.#columns, this.#type] = [columns, type];
  }

  /** Counts rows that were rounded elsewhere. */
  add({ worst, share }: RoundingError): void {
    this.worst = Math.max(this.worst, worst);
    this.share = Math.max(this.share, share);
  }

  /** The rows as a matrix of the type takes them. */
  held(values: Float32Array): Float32Array | PackedRows {
    const type = this.#type;
    if (type === 'f32') return values;
    if (type === 'f16') {
      this.#compare(values, heldValues(values, this.#columns, type));
      return values;
    }
    return quantise(values, this.#columns, type, this);
  }

  #compare(values: Float32Array, rounded: Float32Array): void {
    const columns = this.#columns;
    for (let row = 0; row < values.length; row += columns)
      for (let from = row; from < row + columns; from += GROUP) {
        const to = Math.min(from + GROUP, row + columns);
        let [worst, largest] = [0, 0];
        for (let i = from; i < to; i++) {
          const value = values[i] ?? 0;
          worst = Math.max(worst, Math.abs(value - (rounded[i] ?? 0)));
          largest = Math.max(largest, Math.abs(value));
        }
        this.worst = Math.max(this.worst, worst);
        if (largest > 0) this.share = Math.max(this.share, worst / largest);
      }
  }
}
