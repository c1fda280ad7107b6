import type { ClusterParts } from '../../../src/retrieval/cluster/build.ts';
import { ProductQuantizer } from '../../../src/retrieval/cluster/partition/product-quantizer.ts';
import { Refinement } from '../../../src/retrieval/cluster/partition/refinement.ts';

/** A vector that codes can stand for exactly: its centroid and sixteenths from −8 to 7 15/16. */
export interface Member {
  row: number;
  vector: readonly number[];
}

/** Every number has a code of its own: code c stands for (c − 128) / 16. */
const codebooks = (dimensions: number): Float32Array =>
  Float32Array.from({ length: 256 * dimensions }, (_, i) => ((i % 256) - 128) / 16);

/**
 * An index that loses nothing. With `refineBits` its codes stand for the centroids alone, and the
 * refinement holds the rest.
 */
export function exactParts(
  clusters: readonly { centroid: readonly number[]; members: readonly Member[] }[],
  refineBits: 0 | 4 | 8 = 0,
): ClusterParts {
  const dimensions = clusters[0]?.centroid.length ?? 0;
  const members = clusters.flatMap((cluster) =>
    cluster.members.map(({ row, vector }) => ({
      row,
      residual: vector.map((value, i) => value - (cluster.centroid[i] ?? NaN)),
    })),
  );
  const offsets = [0];
  for (const cluster of clusters) offsets.push((offsets.at(-1) ?? 0) + cluster.members.length);
  const refinement =
    refineBits === 0 ? null : new Refinement(refineBits, dimensions, members.length);
  for (const [place, { residual }] of members.entries())
    refinement?.set(place, Float32Array.from(residual), 0);
  return {
    dimensions,
    centroids: { values: Float32Array.from(clusters.flatMap((c) => c.centroid)), dimensions },
    rows: Int32Array.from(members, ({ row }) => row),
    offsets: Int32Array.from(offsets),
    dissolved: 0,
    quantizer: new ProductQuantizer(dimensions, dimensions, codebooks(dimensions)),
    codes: Uint8Array.from(
      members.flatMap(({ residual }) => residual.map((x) => (refinement ? 128 : 128 + 16 * x))),
    ),
    refinement,
    choice: null,
  };
}

/** Six vectors of five dimensions in three clusters. */
export const VECTORS: readonly (readonly number[])[] = [
  [0, 1.25, -0.5, 3, 0.0625],
  [1.5, 0, 0.25, 0, -1],
  [1, -1, 1.5, -0.5, 0.25],
  [0, 0, 1, 0, 0],
  [0.75, 0.5, 0, 1, 2],
  [-0.125, 0.125, 3, -2, 1],
];
const members = (...rows: number[]): Member[] =>
  rows.map((row) => ({ row, vector: VECTORS[row] ?? [] }));
export const CLUSTERS = [
  { centroid: [1, 0, 0, 0, 0], members: members(1, 4) },
  { centroid: [0, 1, 0, 0, 0], members: members(0) },
  { centroid: [0, 0, 1, 0, 0], members: members(2, 3, 5) },
];
