import { BestK } from '../../src/retrieval/dense/best-k.ts';
import type { Neighbour, VectorTable } from '../../src/retrieval/dense/dense.ts';
import { ClusterKernels } from '../../src/retrieval/cluster/kernels/kernels.ts';
import { dot } from '../../src/retrieval/cluster/partition/nearest.ts';

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
