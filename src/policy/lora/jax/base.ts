import { numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../../checkpoint/config.ts';
import { foldedTranspose, uploadHead } from '../../engine/device-weights.ts';
import { uploadMatrix } from '../../engine/upload-matrix.ts';
import {
  embeddingOf,
  readLayer,
  type Embedding,
  type TensorSource,
} from '../../checkpoint/tensor-source.ts';
import type { WeightType } from '../../checkpoint/weight-type.ts';
import { FINAL_NORM, type LayerWeights } from '../../checkpoint/weights.ts';
import type { LoraTarget } from '../spec.ts';
import { disposeAll } from './arrays.ts';
import type { JaxHead } from './head.ts';
import type { JaxLayer } from './layer.ts';

const copied = (values: Float32Array): np.Array => np.array(new Float32Array(values));

function uploadBiases(c: PolicyConfig, w: LayerWeights): JaxLayer['biases'] {
  const { qkvBias: qkv, oBias: o, gateUpBias: gateUp, downBias: down } = w;
  const [queries, keys] = [c.heads * c.headDim, c.kvHeads * c.headDim];
  const m = c.intermediateSize;
  const biases: [LoraTarget, Float32Array | undefined][] = [
    ['q_proj', qkv?.subarray(0, queries)],
    ['k_proj', qkv?.subarray(queries, queries + keys)],
    ['v_proj', qkv?.subarray(queries + keys)],
    ['o_proj', o ?? undefined],
    ['gate_proj', gateUp?.subarray(0, m)],
    ['up_proj', gateUp?.subarray(m)],
    ['down_proj', down ?? undefined],
  ];
  return Object.fromEntries(
    biases.flatMap(([target, values]) => (values ? [[target, copied(values)]] : [])),
  );
}

function uploadLayer(c: PolicyConfig, w: LayerWeights, type: WeightType): JaxLayer {
  const turned = (values: Float32Array, inputs: number): np.Array =>
    uploadMatrix(foldedTranspose(values, inputs), inputs, type);
  return {
    inputNorm: copied(w.inputNorm),
    q_proj: turned(w.q, c.hiddenSize),
    k_proj: turned(w.k, c.hiddenSize),
    v_proj: turned(w.v, c.hiddenSize),
    ...(w.qNorm && { qNorm: copied(w.qNorm) }),
    ...(w.kNorm && { kNorm: copied(w.kNorm) }),
    o_proj: turned(w.o, c.heads * c.headDim),
    postNorm: copied(w.postNorm),
    gate_proj: turned(w.gate, c.hiddenSize),
    up_proj: turned(w.up, c.hiddenSize),
    down_proj: turned(w.down, c.intermediateSize),
    biases: uploadBiases(c, w),
  };
}

/** The frozen policy as the trainer holds it. */
export interface JaxBase {
  config: PolicyConfig;
  embed: Embedding;
  layers: JaxLayer[];
  head: JaxHead;
}

/** Uploads a policy layer by layer. */
export async function uploadBase(source: TensorSource, type: WeightType): Promise<JaxBase> {
  const { config } = source;
  const layers: JaxLayer[] = [];
  try {
    for (let layer = 0; layer < config.layers; layer++)
      layers.push(uploadLayer(config, await readLayer(source, layer), type));
    return {
      config,
      layers,
      embed: await embeddingOf(source),
      head: {
        norm: copied(await source.read(FINAL_NORM)),
        matrix: await uploadHead(source, type, null),
      },
    };
  } catch (error) {
    disposeAll(layers);
    throw error;
  }
}
