import { eachHead } from '../../policy/lora/each-head.ts';
import { HEAD_ROWS, type PackedMatrix, type TrainMemory } from './train-memory.ts';
import type { PackedBatch } from '../../policy/lora/train-batch.ts';
import { itemAt, present } from '../../base/items.ts';
import { type LayerWeights } from '../../policy/checkpoint/weights.ts';

const PANEL = 8;

/** Copies the matrices into the layouts of the matrix kernel; needed after every change of weights. */
export function packWeights({ kernels, plan }: TrainMemory): void {
  const ofLayers = plan.matrices.flatMap(({ qkv, o, gateUp, down }) => [qkv, o, gateUp, down]);
  for (const m of [...ofLayers, plan.head]) {
    kernels.pack_transposed(m.weight, m.in, m.in, m.out, m.forward);
    kernels.pack(m.weight, m.in, m.out, m.in, m.backward);
  }
}

/** y[rows, out] (+)= x[rows, in] Wᵀ */
function multiply(
  { kernels }: TrainMemory,
  m: PackedMatrix,
  x: number,
  y: number,
  rows: number,
  accumulate: 0 | 1 = 0,
): void {
  kernels.gemm(x, m.in, m.forward, m.in * PANEL, y, m.out, rows, m.out, m.in, accumulate);
}

/** Places the batch and its positions. @throws Error where it is over the limits. */
export function placeBatch(memory: TrainMemory, batch: PackedBatch): void {
  const { plan } = memory;
  const { maxTokens, maxLength } = plan.limits;
  if (batch.ids.length > maxTokens)
    throw new Error(`batch: ${batch.ids.length} tokens, the limit is ${maxTokens}`);
  memory.integers(plan.ids).set(batch.ids);
  memory.integers(plan.rows).set(batch.rows);
  memory.integers(plan.targets).set(batch.targets);
  memory.floats(plan.targetWeights).set(batch.weights);
  const positions = memory.integers(plan.positions);
  let at = 0;
  for (const length of batch.lengths) {
    if (length > maxLength)
      throw new Error(`batch: a sequence has ${length} tokens, the limit is ${maxLength}`);
    for (let i = 0; i < length; i++) positions[at++] = i;
  }
}

/** Where the norms of queries and keys lie: the policy that is made here has both in every layer. */
export const headNorms = ({ qNorm, kNorm }: LayerWeights): [number, number] => [
  present(qNorm, 'the norm of the queries').byteOffset,
  present(kNorm, 'the norm of the keys').byteOffset,
];

function layerForward(memory: TrainMemory, batch: PackedBatch, layer: number): void {
  const { kernels, plan, weights } = memory;
  const { config } = plan;
  const { hiddenSize: d, heads, kvHeads, headDim, intermediateSize } = config;
  const N = batch.ids.length;
  const at = itemAt(plan.layers, layer, 'layers');
  const m = itemAt(plan.matrices, layer, 'layers');
  const w = itemAt(weights.layers, layer, 'layers');
  const [qNorm, kNorm] = headNorms(w);
  const output = plan.layers[layer + 1]?.input ?? plan.output.pointer;
  const normed = plan.normed.pointer;
  const eps = config.rmsNormEps;

  kernels.rms_norm(at.input, w.inputNorm.byteOffset, normed, at.inputInverse, N, d, eps);
  multiply(memory, m.qkv, normed, at.qkv, N);
  // prettier-ignore
  kernels.heads_forward(
    at.qkv, qNorm, kNorm, plan.cos.pointer, plan.sin.pointer,
    plan.positions.pointer, at.q, at.k, at.v, at.headInverse, N, heads, kvHeads, headDim, eps,
  );
  const scale = 1 / Math.sqrt(headDim);
  const stride = heads * headDim;
  eachHead(config, batch, (query, key, out, lse, length) => {
    // prettier-ignore
    kernels.attention_forward(
      at.q + query, at.k + key, at.v + key, at.attention + out, stride, at.lse + lse,
      length, headDim, scale, plan.attentionScratch.pointer,
    );
  });
  copy(memory, at.input, at.middle, N * d);
  multiply(memory, m.o, at.attention, at.middle, N, 1);
  kernels.rms_norm(at.middle, w.postNorm.byteOffset, normed, at.middleInverse, N, d, eps);
  multiply(memory, m.gateUp, normed, at.gateUp, N);
  kernels.swiglu(at.gateUp, at.activated, N, intermediateSize);
  copy(memory, at.middle, output, N * d);
  multiply(memory, m.down, at.activated, output, N, 1);
}

function copy(memory: TrainMemory, from: number, to: number, length: number): void {
  const values = memory.floats({ pointer: from, length });
  memory.floats({ pointer: to, length }).set(values);
}

/** Embedding and all layers; the residual stream ends in `plan.output`. */
export function forwardLayers(memory: TrainMemory, batch: PackedBatch): void {
  const { kernels, plan, weights } = memory;
  const { hiddenSize, layers } = plan.config;
  const embed = weights.embed.byteOffset;
  const first = itemAt(plan.layers, 0, 'layers').input;
  kernels.gather(embed, plan.ids.pointer, first, batch.ids.length, hiddenSize);
  for (let layer = 0; layer < layers; layer++) layerForward(memory, batch, layer);
}

/** Gathers the rows that predict a weighted token and norms them into `plan.pickedNormed`. */
export function pickRows(memory: TrainMemory, batch: PackedBatch): void {
  const { kernels, plan, weights } = memory;
  const { hiddenSize: d, rmsNormEps } = plan.config;
  const rows = batch.rows.length;
  kernels.gather(plan.output.pointer, plan.rows.pointer, plan.picked.pointer, rows, d);
  // prettier-ignore
  kernels.rms_norm(
    plan.picked.pointer, weights.finalNorm.byteOffset, plan.pickedNormed.pointer,
    plan.pickedInverse.pointer, rows, d, rmsNormEps,
  );
}

/**
 * Logits of the picked rows, `HEAD_ROWS` at a time, turned into `weight · (softmax − onehot)`;
 * `visit` may read them. Negative log-probabilities and best ids end in `plan.nll`, `plan.best`.
 */
export function headChunks(
  memory: TrainMemory,
  batch: PackedBatch,
  visit: (first: number, rows: number) => void,
): void {
  const { kernels, plan } = memory;
  const { hiddenSize, vocabSize } = plan.config;
  for (let first = 0; first < batch.rows.length; first += HEAD_ROWS) {
    const rows = Math.min(HEAD_ROWS, batch.rows.length - first);
    const x = plan.pickedNormed.pointer + 4 * first * hiddenSize;
    multiply(memory, plan.head, x, plan.logits.pointer, rows);
    // prettier-ignore
    kernels.cross_entropy(
      plan.logits.pointer, plan.targets.pointer + 4 * first, plan.targetWeights.pointer + 4 * first,
      plan.nll.pointer + 4 * first, plan.best.pointer + 4 * first, rows, vocabSize,
    );
    visit(first, rows);
  }
}
