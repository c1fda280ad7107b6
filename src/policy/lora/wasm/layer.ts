import { eachHead } from '../each-head.ts';
import type { PackedBatch } from '../train-batch.ts';
import { multiply, multiplyBackward, multiplyInner } from './adapter.ts';
import type { LoraMemory } from './memory.ts';

const copy = (memory: LoraMemory, from: number, to: number, length: number): void =>
  memory.floats({ pointer: to, length }).set(memory.floats({ pointer: from, length }));

const zero = (memory: LoraMemory, pointer: number, length: number): void => {
  memory.floats({ pointer, length }).fill(0);
};

/** Everything of layer `layer` up to the input of its down projection, into the shared buffers. */
function layerInner(memory: LoraMemory, batch: PackedBatch, layer: number, adapted: boolean): void {
  const { kernels, config, scratch: at, batch: io } = memory;
  const { hiddenSize: d, heads, kvHeads, headDim, intermediateSize, rmsNormEps: eps } = config;
  const N = batch.ids.length;
  const { weights: w, qkv, o, gateUp, input } = memory.layers[layer]!;
  const normed = at.normed.pointer;
  kernels.rms_norm(input, w.inputNorm.byteOffset, normed, at.inputInverse.pointer, N, d, eps);
  multiply(memory, qkv, adapted, normed, at.qkv.pointer, N);
  const of = memory.heads(layer);
  // prettier-ignore
  kernels.heads_forward(
    at.qkv.pointer, of.qNorm, of.kNorm, of.cos, of.sin, io.positions.pointer, at.q.pointer,
    at.k.pointer, at.v.pointer, at.headInverse.pointer, N, heads, kvHeads, headDim, of.eps,
  );
  const scale = 1 / Math.sqrt(headDim);
  eachHead(memory.config, batch, (query, key, out, lse, length) => {
    // prettier-ignore
    kernels.attention_forward(
      at.q.pointer + query, at.k.pointer + key, at.v.pointer + key, at.attention.pointer + out,
      heads * headDim, at.lse.pointer + lse, length, headDim, scale, at.attentionScratch.pointer,
    );
  });
  const middle = at.middle.pointer;
  copy(memory, input, middle, N * d);
  multiply(memory, o, adapted, at.attention.pointer, middle, N, 1);
  kernels.rms_norm(middle, w.postNorm.byteOffset, normed, at.middleInverse.pointer, N, d, eps);
  multiply(memory, gateUp, adapted, normed, at.gateUp.pointer, N);
  kernels.swiglu(at.gateUp.pointer, at.activated.pointer, N, intermediateSize);
}

/** Layer `layer` into `output`, the next layer's input or the end of the residual stream. */
export function layerForward(
  memory: LoraMemory,
  batch: PackedBatch,
  layer: number,
  adapted: boolean,
): void {
  const { scratch: at, config } = memory;
  const N = batch.ids.length;
  layerInner(memory, batch, layer, adapted);
  const output = memory.layers[layer + 1]?.input ?? at.output.pointer;
  copy(memory, at.middle.pointer, output, N * config.hiddenSize);
  multiply(memory, memory.layers[layer]!.down, adapted, at.activated.pointer, output, N, 1);
}

function mlpBackward(memory: LoraMemory, N: number, layer: number): void {
  const { kernels, config, scratch: at } = memory;
  const { hiddenSize: d, intermediateSize, rmsNormEps: eps } = config;
  const { weights: w, gateUp, down } = memory.layers[layer]!;
  const norm = w.postNorm.byteOffset;
  const [dx, dNormed, middle] = [at.dResidual.pointer, at.dNormed.pointer, at.middle.pointer];
  multiplyBackward(memory, down, at.activated.pointer, dx, at.dActivated.pointer, N);
  kernels.swiglu_backward(at.gateUp.pointer, at.dActivated.pointer, N, intermediateSize);
  kernels.rms_norm(middle, norm, at.normed.pointer, at.middleInverse.pointer, N, d, eps);
  multiplyBackward(memory, gateUp, at.normed.pointer, at.gateUp.pointer, dNormed, N);
  // prettier-ignore
  kernels.rms_norm_backward(
    middle, norm, at.middleInverse.pointer, dNormed, dx, at.unused.pointer, N, d,
  );
}

function attentionBackward(memory: LoraMemory, batch: PackedBatch, layer: number): void {
  const { kernels, config, scratch: at, batch: io } = memory;
  const { hiddenSize: d, heads, kvHeads, headDim, rmsNormEps: eps } = config;
  const N = batch.ids.length;
  const { weights: w, qkv, o, input } = memory.layers[layer]!;
  const [dx, dOut] = [at.dResidual.pointer, at.dAttention.pointer];
  multiplyBackward(memory, o, at.attention.pointer, dx, dOut, N);
  zero(memory, at.dk.pointer, N * kvHeads * headDim);
  zero(memory, at.dv.pointer, N * kvHeads * headDim);
  const scale = 1 / Math.sqrt(headDim);
  eachHead(memory.config, batch, (query, key, out, lse, length) => {
    // prettier-ignore
    kernels.attention_backward(
      at.q.pointer + query, at.k.pointer + key, at.v.pointer + key, at.attention.pointer + out,
      dOut + out, heads * headDim, at.lse.pointer + lse, at.dq.pointer + query,
      at.dk.pointer + key, at.dv.pointer + key, length, headDim, scale, at.attentionScratch.pointer,
    );
  });
  const of = memory.heads(layer);
  // prettier-ignore
  kernels.heads_backward(
    at.qkv.pointer, of.qNorm, of.kNorm, of.cos, of.sin, io.positions.pointer, at.headInverse.pointer, at.dq.pointer, at.dk.pointer, at.dv.pointer,
    at.dQkv.pointer, at.unused.pointer, at.unused.pointer, at.row.pointer, N, heads, kvHeads, headDim,
  );
  const norm = w.inputNorm.byteOffset;
  kernels.rms_norm(input, norm, at.normed.pointer, at.inputInverse.pointer, N, d, eps);
  // Below the first layer is the frozen embedding.
  const dNormed = layer > 0 ? at.dNormed.pointer : null;
  multiplyBackward(memory, qkv, at.normed.pointer, at.dQkv.pointer, dNormed, N);
  if (dNormed === null) return;
  // prettier-ignore
  kernels.rms_norm_backward(
    input, norm, at.inputInverse.pointer, dNormed, dx, at.unused.pointer, N, d,
  );
}

/** Recomputes the layer's activations from its input, then takes `dResidual` through it. */
export function layerBackward(memory: LoraMemory, batch: PackedBatch, layer: number): void {
  const { scratch: at } = memory;
  const N = batch.ids.length;
  layerInner(memory, batch, layer, true);
  // layerInner stops short of the down projection, whose output the backward pass does not need.
  multiplyInner(memory, memory.layers[layer]!.down, at.activated.pointer, N);
  // Gradients of frozen norms pile up here unread; from zero they stay finite.
  memory.floats(at.unused).fill(0);
  mlpBackward(memory, N, layer);
  attentionBackward(memory, batch, layer);
}
