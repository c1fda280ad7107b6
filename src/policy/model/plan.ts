import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { Ops } from '../ops/ops.ts';
import type { Matrix, MatrixShape, MatrixType, Vector } from '../ops/values.ts';
import { Decoder, type Adapted, type DecoderLayer, type Linear } from './decoder.ts';
import { layerMatrices, rowsOf } from './shapes.ts';

/** A decoder of a shape without weights, over operations whose matrices need not be written. */
export function planDecoder(ops: Ops, config: PolicyConfig, type: MatrixType): Decoder {
  const { hiddenSize, vocabSize, headDim, rmsNormEps: eps, tieWordEmbeddings } = config;
  const { qkNorm, unturnedLayers } = variantOf(config);
  const matrices = layerMatrices(config);
  const vector = (length: number): Vector => ops.vector(new Float32Array(length), 'vector');
  const matrix = (shape: Omit<MatrixShape, 'type'>, label: string): Matrix =>
    ops.matrix({ ...shape, type }, label).finish();
  const linear = (label: Adapted): Linear => {
    const one = matrices[label];
    const out = rowsOf(one);
    const shape = { out, in: one.in, ...(one.turned && { turned: one.turned }) };
    return { matrix: matrix(shape, label), bias: one.biased ? vector(out) : null };
  };
  const norm = (): { weight: Vector; eps: number } => ({ weight: vector(hiddenSize), eps });
  const layers = Array.from({ length: config.layers }, (_, index): DecoderLayer => ({
    inputNorm: norm(),
    qkv: linear('qkv'),
    headNorms: qkNorm ? { q: vector(headDim), k: vector(headDim), eps } : null,
    o: linear('o'),
    postNorm: norm(),
    gateUp: linear('gateUp'),
    down: linear('down'),
    turned: !unturnedLayers.includes(index),
  }));
  const table = { out: vocabSize, in: hiddenSize };
  const embed = matrix(table, 'embedding');
  const head = tieWordEmbeddings ? embed : matrix(table, 'output matrix');
  return new Decoder(ops, config, { layers, embed, head, finalNorm: norm() });
}
