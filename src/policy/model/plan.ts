import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { Ops } from '../ops/ops.ts';
import { heldType, type HeldTypes } from '../checkpoint/weight-type.ts';
import { EMBED, HEAD, layerName } from '../checkpoint/weights.ts';
import type { Matrix, MatrixShape, Vector } from '../ops/values.ts';
import { Decoder, type Adapted, type DecoderLayer, type Linear } from './decoder.ts';
import { layerMatrices, rowsOf } from './shapes.ts';

/** A decoder of a shape without weights, over operations whose matrices need not be written. */
export function planDecoder(ops: Ops, config: PolicyConfig, types: HeldTypes): Decoder {
  const { hiddenSize, vocabSize, headDim, rmsNormEps: eps, tieWordEmbeddings } = config;
  const { qkNorm, outputNorms, unturnedLayers } = variantOf(config);
  const matrices = layerMatrices(config);
  const vector = (length: number): Vector => ops.vector(new Float32Array(length), 'vector');
  const matrix = (shape: Omit<MatrixShape, 'type'>, label: string, names: string[]): Matrix =>
    ops.matrix({ ...shape, type: heldType(types, names) }, label).finish();
  const linear = (index: number, label: Adapted): Linear => {
    const one = matrices[label];
    const out = rowsOf(one);
    const shape = { out, in: one.in, ...(one.turned && { turned: one.turned }) };
    const names = one.parts.map(({ part }) => layerName(index, `${part}.weight`));
    return { matrix: matrix(shape, label, names), bias: one.biased ? vector(out) : null };
  };
  const norm = (): { weight: Vector; eps: number } => ({ weight: vector(hiddenSize), eps });
  const layers = Array.from({ length: config.layers }, (_, index): DecoderLayer => ({
    inputNorm: norm(),
    qkv: linear(index, 'qkv'),
    headNorms: qkNorm ? { q: vector(headDim), k: vector(headDim), eps } : null,
    o: linear(index, 'o'),
    attentionOutputNorm: outputNorms ? norm() : null,
    mlpNorm: norm(),
    gateUp: linear(index, 'gateUp'),
    down: linear(index, 'down'),
    mlpOutputNorm: outputNorms ? norm() : null,
    turned: !unturnedLayers.includes(index),
  }));
  const table = { out: vocabSize, in: hiddenSize };
  const embed = matrix(table, 'embedding', [EMBED]);
  const head = tieWordEmbeddings ? embed : matrix(table, 'output matrix', [HEAD]);
  return new Decoder(ops, config, { layers, embed, head, finalNorm: norm() });
}
