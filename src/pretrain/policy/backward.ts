import { eachHead } from '../../policy/lora/each-head.ts';
import type { PackedBatch } from '../../policy/lora/train-batch.ts';
import type { PackedMatrix, TrainMemory } from './train-memory.ts';
import { itemAt } from '../../base/items.ts';
import { headNorms } from './forward.ts';

const PANEL = 8;

/** dx[rows, in] = dy[rows, out] W, and the gradient of W += dyᵀ x. */
function multiplyBackward(
  { kernels, plan }: TrainMemory,
  m: PackedMatrix,
  x: number,
  dy: number,
  dx: number,
  rows: number,
): void {
  // prettier-ignore
  kernels.gemm_transposed(
    dy, m.out, x, m.in, m.gradient, m.in, m.out, m.in, rows, plan.transposedScratch.pointer,
  );
  kernels.gemm(dy, m.out, m.backward, m.out * PANEL, dx, m.in, rows, m.in, m.out, 0);
}

/** Gradient of one head chunk: `plan.logits` holds that of the logits. */
export function headBackward(memory: TrainMemory, first: number, rows: number): void {
  const { plan } = memory;
  const offset = 4 * first * plan.config.hiddenSize;
  const x = plan.pickedNormed.pointer + offset;
  multiplyBackward(memory, plan.head, x, plan.logits.pointer, plan.dPicked.pointer + offset, rows);
}

/** From the picked rows back to the residual stream after the last layer. */
export function pickBackward(memory: TrainMemory, batch: PackedBatch): void {
  const { kernels, plan, weights, gradients } = memory;
  const d = plan.config.hiddenSize;
  const rows = batch.rows.length;
  // dNormed serves as the gradient of the picked rows: its own use begins later.
  zero(memory, plan.dNormed.pointer, rows * d);
  // prettier-ignore
  kernels.rms_norm_backward(
    plan.picked.pointer, weights.finalNorm.byteOffset, plan.pickedInverse.pointer,
    plan.dPicked.pointer, plan.dNormed.pointer, gradients.finalNorm.byteOffset, rows, d,
  );
  zero(memory, plan.dResidual.pointer, batch.ids.length * d);
  kernels.scatter_add(plan.dResidual.pointer, plan.rows.pointer, plan.dNormed.pointer, rows, d);
}

function zero(memory: TrainMemory, pointer: number, length: number): void {
  memory.floats({ pointer, length }).fill(0);
}

function mlpBackward(memory: TrainMemory, N: number, layer: number): void {
  const { kernels, plan, weights, gradients } = memory;
  const { hiddenSize: d, intermediateSize, rmsNormEps } = plan.config;
  const at = itemAt(plan.layers, layer, 'layers');
  const m = itemAt(plan.matrices, layer, 'layers');
  const w = itemAt(weights.layers, layer, 'layers').postNorm.byteOffset;
  const dw = itemAt(gradients.layers, layer, 'layers').postNorm.byteOffset;
  const [normed, dNormed, dx] = [plan.normed.pointer, plan.dNormed.pointer, plan.dResidual.pointer];
  multiplyBackward(memory, m.down, at.activated, dx, plan.dActivated.pointer, N);
  kernels.swiglu_backward(at.gateUp, plan.dActivated.pointer, N, intermediateSize);
  kernels.rms_norm(at.middle, w, normed, at.middleInverse, N, d, rmsNormEps);
  multiplyBackward(memory, m.gateUp, normed, at.gateUp, dNormed, N);
  kernels.rms_norm_backward(at.middle, w, at.middleInverse, dNormed, dx, dw, N, d);
}

function attentionBackward(memory: TrainMemory, batch: PackedBatch, layer: number): void {
  const { kernels, plan, weights, gradients } = memory;
  const { hiddenSize: d, heads, kvHeads, headDim, rmsNormEps } = plan.config;
  const N = batch.ids.length;
  const at = itemAt(plan.layers, layer, 'layers');
  const m = itemAt(plan.matrices, layer, 'layers');
  const w = itemAt(weights.layers, layer, 'layers');
  const dw = itemAt(gradients.layers, layer, 'layers');
  const [qNorm, kNorm] = headNorms(w);
  const [dqNorm, dkNorm] = headNorms(dw);
  const [dx, dOut] = [plan.dResidual.pointer, plan.dAttention.pointer];
  multiplyBackward(memory, m.o, at.attention, dx, dOut, N);
  zero(memory, plan.dk.pointer, N * kvHeads * headDim);
  zero(memory, plan.dv.pointer, N * kvHeads * headDim);
  const scale = 1 / Math.sqrt(headDim);
  eachHead(memory.plan.config, batch, (query, key, out, lse, length) => {
    // prettier-ignore
    kernels.attention_backward(
      at.q + query, at.k + key, at.v + key, at.attention + out, dOut + out, heads * headDim,
      at.lse + lse, plan.dq.pointer + query, plan.dk.pointer + key, plan.dv.pointer + key,
      length, headDim, scale, plan.attentionScratch.pointer,
    );
  });
  // prettier-ignore
  kernels.heads_backward(
    at.qkv, qNorm, kNorm, plan.cos.pointer, plan.sin.pointer,
    plan.positions.pointer, at.headInverse, plan.dq.pointer, plan.dk.pointer, plan.dv.pointer,
    plan.dQkv.pointer, dqNorm, dkNorm, plan.row.pointer,
    N, heads, kvHeads, headDim,
  );
  const [norm, normed, dNormed] = [
    w.inputNorm.byteOffset,
    plan.normed.pointer,
    plan.dNormed.pointer,
  ];
  kernels.rms_norm(at.input, norm, normed, at.inputInverse, N, d, rmsNormEps);
  multiplyBackward(memory, m.qkv, normed, plan.dQkv.pointer, dNormed, N);
  const dNorm = dw.inputNorm.byteOffset;
  kernels.rms_norm_backward(at.input, norm, at.inputInverse, dNormed, dx, dNorm, N, d);
}

/** From `plan.dResidual` back through all layers into the embedding. */
export function backwardLayers(memory: TrainMemory, batch: PackedBatch): void {
  const { kernels, plan, gradients } = memory;
  for (let layer = plan.config.layers - 1; layer >= 0; layer--) {
    mlpBackward(memory, batch.ids.length, layer);
    attentionBackward(memory, batch, layer);
  }
  // prettier-ignore
  kernels.scatter_add(
    gradients.embed.byteOffset, plan.ids.pointer, plan.dResidual.pointer,
    batch.ids.length, plan.config.hiddenSize,
  );
}
