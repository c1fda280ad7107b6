import type { Neighbour, VectorTable } from '../../src/retrieval/dense.ts';
import { ClusterKernels } from '../../src/retrieval/cluster/index.ts';
import { dot } from '../../src/retrieval/cluster/nearest.ts';

/** The full scan, as fast as it goes in plain JavaScript: scores in a row, the k best kept by insertion. */
export function flatScan({
  values,
  dimensions,
}: VectorTable): (query: Float32Array, k: number) => Neighbour[] {
  const n = values.length / dimensions;
  return (query, k) => {
    const best = new BestK(k);
    for (let row = 0; row < n; row++)
      best.offer(row, dot(query, 0, values, row * dimensions, dimensions));
    return best.list();
  };
}

/** The full scan with WASM SIMD; the table is copied into the memory of the kernels. */
export async function flatScanSimd({
  values,
  dimensions,
}: VectorTable): Promise<(query: Float32Array, k: number) => Neighbour[]> {
  const scan = (await ClusterKernels.start()).table(values, dimensions);
  return (query, k) => {
    const best = new BestK(k);
    const scores = scan(query);
    for (let row = 0; row < scores.length; row++) best.offer(row, scores[row]!);
    return best.list();
  };
}

/** The k best of a stream of scores, best first; ties to the earlier. */
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
    if (!(score > this.#scores[last]!)) return;
    let at = last;
    for (; at > 0 && score > this.#scores[at - 1]!; at--) {
      this.#scores[at] = this.#scores[at - 1]!;
      this.#rows[at] = this.#rows[at - 1]!;
    }
    this.#scores[at] = score;
    this.#rows[at] = row;
    this.#count = Math.min(this.#count + 1, this.#scores.length);
  }

  list(): Neighbour[] {
    return Array.from({ length: this.#count }, (_, i) => ({
      index: this.#rows[i]!,
      similarity: this.#scores[i]!,
    }));
  }
}
