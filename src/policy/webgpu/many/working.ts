import { variantOf, type PolicyConfig } from '../../checkpoint/config.ts';
import type { LoraSpec } from '../../lora/spec.ts';
import { adapterShapes } from '../../model/adapter.ts';
import { layerMatrices, rowsOf } from '../../model/shapes.ts';
import { heldType, type HeldTypes } from '../../checkpoint/weight-type.ts';
import { layerName } from '../../checkpoint/weights.ts';
import { matrixParts, padded, rankStride, strideOf } from '../device/sizes.ts';
import { KEYS, tilePositions } from '../kernels/many/attention-tile.ts';
import { CHUNK_TILES } from '../kernels/many/score.ts';
import { SLICE_BYTES } from './head.ts';

/** What is computed of many rows. */
export interface ManyWorking {
  readonly config: PolicyConfig;
  readonly type: HeldTypes;
  readonly rows: number;
  /** Contexts that the rows are of, at most. */
  readonly runs: number;
  /** Adapter that is added to the products. */
  readonly adapter: LoraSpec | null;
  /** Whether the layers also go backward, all rows being scored. */
  readonly train: boolean;
}

/**
 * Bytes of the working memory that operations on many rows share (`Gpu.scratch`), once all were called.
 * @param largest bytes of the largest binding
 */
export function manyWorking(o: ManyWorking, largest: number): number {
  const { config: c, rows, runs, train, type } = o;
  const matrices = layerMatrices(c);
  const row = (width: number): number => rows * strideOf(width) * 4;
  const qkv = row(rowsOf(matrices.qkv));
  const { gateUp } = matrices;
  const share = c.heads / c.kvHeads;
  const tiles = 16 * (rows / tilePositions(share) + runs) + 32 * (rows / KEYS + runs);
  const isSplit = (_: unknown, layer: number): boolean => {
    const names = gateUp.parts.map(({ part }) => layerName(layer, `${part}.weight`));
    const shape = { out: rowsOf(gateUp), in: gateUp.in, type: heldType(type, names) };
    return matrixParts(shape, largest).length > 1;
  };
  const split = !train && Array.from({ length: c.layers }).some(isSplit);
  let bytes = qkv + tiles + (split ? row(rowsOf(gateUp)) : 0);
  if (o.adapter) {
    const { shapes } = adapterShapes({ ...c, layers: 1 }, o.adapter);
    const narrow = shapes.map(({ parts, rank }) => parts.length * rankStride(rank) * 4 * rows);
    bytes += (train ? 2 : 1) * Math.max(0, ...narrow) + 4 * rows;
  }
  if (variantOf(c).outputNorms) bytes += (train ? 2 : 1) * row(c.hiddenSize);
  if (!train) return bytes;
  const chunks = Math.ceil(c.vocabSize / (64 * CHUNK_TILES));
  const slopes = Math.min(SLICE_BYTES, largest, rows * padded(c.vocabSize, 64) * 4);
  // Of attention; of the head: normed rows and their gradient, sums, slopes, tables.
  const head = 2 * row(c.hiddenSize) + rows * (chunks + 1) * 16 + slopes;
  return bytes + qkv + rows * c.heads * 8 + head;
}
