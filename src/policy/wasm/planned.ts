import { variantOf } from '../checkpoint/config.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import { adapterShapes } from '../model/adapter.ts';
import { layerMatrices, rowsOf } from '../model/shapes.ts';
import { keepsInsides } from '../model/training-memory.ts';
import type { Sizes, Working } from '../ops/planned.ts';
import type { AdapterShape } from '../ops/values.ts';
import { matrixLayout, pad8 } from './handles.ts';
import { rowsAtOnce } from './head.ts';
import { blockBytes } from './memory.ts';

const floats = (count: number): number => blockBytes(4 * count);

function adapterBytes(shapes: readonly AdapterShape[], trained: boolean): number {
  return shapes.reduce((sum, { in: inputs, rank, parts }) => {
    const A = floats(pad8(rank) * parts.length * pad8(inputs));
    const B = parts.reduce((all, { out }) => all + floats(pad8(out) * pad8(rank)), 0);
    const dB = parts.reduce((all, { out }) => all + floats(out * pad8(rank)), 0);
    return sum + A + B + (trained ? A + dB : 0);
  }, 0);
}

/** Widest inner activations of an adapter: those of the most parts that one matrix has. */
const innerColumns = (shapes: readonly AdapterShape[]): number =>
  shapes.reduce((most, { rank, parts }) => Math.max(most, pad8(rank) * parts.length), 0);

/** Scratch of everything that is called, by name. */
function scratch(of: Working, train: ({ adapter: LoraSpec } & TrainLimits) | null) {
  const { config: c, slots, context, prefillChunk } = of;
  const d = pad8(c.hiddenSize);
  const wide = pad8(c.headDim);
  const rows = train ? train.maxTokens : Math.max(prefillChunk, slots);
  const headRows = rowsAtOnce(c.vocabSize, train ? train.maxTokens : slots);
  const places = pad8(train ? train.maxLength : context);
  const { qkv, gateUp } = layerMatrices(c);
  // What is kept is not written to scratch.
  const kept = train !== null && keepsInsides(c, train, 'wasm');
  const widest = pad8(Math.max(rowsOf(qkv), kept ? 0 : rowsOf(gateUp)));
  const sizes = new Map<string, number>([
    ['block', 32_768],
    ['row', 8 * c.headDim],
    ['normed', 4 * Math.max(rows, headRows) * d],
    ['raw', 4 * rows * widest],
    ['logits', 4 * headRows * pad8(c.vocabSize)],
    ['attention', 4 * (48 * (places + wide + 1))],
  ]);
  if (variantOf(c).outputNorms) sizes.set('output', 4 * rows * d);
  if (!train) {
    sizes.set('weights', 8 * pad8(c.vocabSize));
    sizes.set('sums', 32);
    return sizes;
  }
  const { shapes } = adapterShapes(c, train.adapter);
  const inner = innerColumns(shapes);
  const turned = shapes.map((shape) => {
    const outs = shape.parts.map(({ out }) => out);
    const rank = pad8(shape.rank);
    return Math.max(rank * outs.length, ...outs) + 6 + Math.max(pad8(shape.in), rank);
  });
  // Parts that are no whole panels: their products are made apart.
  const odd = shapes.flatMap(({ parts }) => parts.map(({ out }) => out)).filter((out) => out % 8);
  sizes.set('attention', 4 * (places * (72 + 4 * wide) + 36 * wide));
  sizes.set('rows of a context', 4 * places);
  sizes.set('dNormed', 4 * Math.max(rows, headRows) * d);
  sizes.set('inner', 4 * rows * inner);
  sizes.set('dInner', 4 * rows * inner);
  sizes.set('turned', 4 * 128 * Math.max(...turned));
  if (odd.length > 0) sizes.set('part', 4 * rows * pad8(Math.max(...odd)));
  return sizes;
}

/** What is added to the scratch of sampling where it trains too: they share it. */
function working(of: Working): number {
  const sampling = scratch(of, null);
  const total = [...sampling.values()].reduce((sum, bytes) => sum + blockBytes(bytes), 0);
  if (!of.train) return total;
  const { adapter, limits } = of.train;
  let added = 0;
  for (const [name, bytes] of scratch(of, { adapter, ...limits })) {
    const there = sampling.get(name);
    if (there === undefined) added += blockBytes(bytes);
    else if (bytes > there) added += blockBytes(bytes) - blockBytes(there);
  }
  return added;
}

/** What the kernels' memory holds of everything. */
export const wasmSizes: Sizes = {
  device: 'wasm',
  activations: (rows, width) => floats(rows * pad8(width)),
  vector: (length) => floats(pad8(length)),
  matrix(shape) {
    const { values, scales } = matrixLayout(shape);
    return blockBytes(values) + (scales > 0 ? blockBytes(scales) : 0);
  },
  rotary: (positions, pairs) => 2 * floats(positions * pairs),
  kvCache({ positions, kvHeads, headDim, type }) {
    const bytes = (type === 'f16' ? 2 : 4) * pad8(positions) * kvHeads;
    return blockBytes(bytes * headDim) + blockBytes(bytes * pad8(headDim));
  },
  tokens: (rows) => 3 * floats(rows),
  picks: (rows) => 7 * floats(rows),
  draws: floats,
  adapter: adapterBytes,
  working,
};
