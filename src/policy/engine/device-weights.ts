import { numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { LoraTarget } from '../lora/spec.ts';
import {
  embeddingOf,
  readLayer,
  type Embedding,
  type TensorSource,
} from '../checkpoint/tensor-source.ts';
import { fitsHalf, type WeightType } from '../checkpoint/weight-type.ts';
import {
  EMBED,
  FINAL_NORM,
  HEAD,
  type LayerWeights,
  type PolicyWeights,
} from '../checkpoint/weights.ts';
import { scoreBound } from './decoder.ts';
import { DEVICE_MATRIX } from './layout.ts';
import { halvesOf, uploadMatrix } from './upload-matrix.ts';

/**
 * Matrices of one decoder layer as the generation kernels read them: [in, out]. In float32 the weight
 * of the RMSNorm before them is multiplied into their rows, so that a norm costs one number a row; in
 * float16 that would round them once more, so that they stay what the checkpoint holds.
 */
export interface DeviceLayer {
  /** [hidden, (heads + 2 kvHeads) headDim] */
  readonly qkv: np.Array;
  /** [heads + kvHeads, headDim]: q and k norm weights, or 1; queries' also hold 1/sqrt(headDim). */
  readonly turnCos: np.Array;
  /** The same with the two halves of the head swapped: what multiplies the sine. */
  readonly turnSin: np.Array;
  /** [heads headDim, hidden] */
  readonly o: np.Array;
  /** Weights of the norms before qkv and gateUp, [hidden], where they are not in the matrices. */
  readonly inputNorm?: np.Array;
  readonly postNorm?: np.Array;
  /** [hidden, 2 intermediate] */
  readonly gateUp: np.Array;
  /** [intermediate, hidden] */
  readonly down: np.Array;
  /** Biases, in families that have them: of q, k, v; o; gate, up; down. Each [out]. */
  readonly qkvBias?: np.Array;
  readonly oBias?: np.Array;
  readonly gateUpBias?: np.Array;
  readonly downBias?: np.Array;
}

/** The output projection; like the matrices of a layer. */
export interface DeviceHead {
  /** [hidden, vocab] */
  readonly matrix: np.Array;
  /** The final norm's weight, [hidden], where it is not in the matrix. */
  readonly norm?: np.Array;
}

export interface DeviceWeights {
  readonly config: PolicyConfig;
  /** What the matrices are held in; one with values that halves cannot hold is in f32 all the same. */
  readonly type: WeightType;
  readonly layers: DeviceLayer[];
  readonly head: DeviceHead;
  /** Kept on the host, where rows are picked. */
  readonly embed: Embedding;
  /** Largest absolute attention score that any layer can give. */
  readonly scoreBound: number;
}

/** Transposes row-major [out, in] to [in, out] and scales input `i` by `scale[i]`. */
export function foldedTranspose(
  matrix: Float32Array,
  inputs: number,
  scale?: Float32Array,
): Float32Array<ArrayBuffer> {
  const outputs = matrix.length / inputs;
  const result = new Float32Array(matrix.length);
  for (let o = 0; o < outputs; o++)
    for (let i = 0; i < inputs; i++)
      result[i * outputs + o] = matrix[o * inputs + i]! * (scale?.[i] ?? 1);
  return result;
}

/** Rows of q and k norm weights, one a head: [heads + kvHeads, headDim]. */
function turnTable(config: PolicyConfig, layer: LayerWeights, swapHalves: boolean) {
  const { heads, kvHeads, headDim } = config;
  const table = new Float32Array((heads + kvHeads) * headDim);
  for (let head = 0; head < heads + kvHeads; head++) {
    const norm = head < heads ? layer.qNorm : layer.kNorm;
    const scale = head < heads ? 1 / Math.sqrt(headDim) : 1;
    for (let i = 0; i < headDim; i++) {
      const from = swapHalves ? (i + headDim / 2) % headDim : i;
      table[head * headDim + i] = (norm ? norm[from]! : 1) * scale;
    }
  }
  return table;
}

/**
 * One layer in the form of the generation kernels, on the default device.
 * @param changed matrices that an adapter was folded into: they are in float32 whatever the type, for
 * in halves the small steps of training would round to nothing
 */
export function uploadLayer(
  config: PolicyConfig,
  layer: LayerWeights,
  type: WeightType,
  changed: readonly LoraTarget[] = [],
): DeviceLayer {
  const { hiddenSize: hidden, heads, kvHeads, headDim, intermediateSize } = config;
  const table = (values: Float32Array<ArrayBuffer>, rows: number): np.Array =>
    np.array(values, { shape: [rows, values.length / rows] });
  const exact = new Set<keyof DeviceLayer>(changed.map((target) => DEVICE_MATRIX[target]));
  const matrix = (
    name: keyof DeviceLayer,
    values: Float32Array,
    inputs: number,
    norm?: Float32Array,
  ): np.Array =>
    uploadMatrix(foldedTranspose(values, inputs, norm), inputs, exact.has(name) ? 'f32' : type);
  const turned = heads + kvHeads;
  const vector = (name: string, values: Float32Array | null) =>
    values && { [name]: np.array(new Float32Array(values)) };
  const [folded, apart] = type === 'f32' ? [layer, null] : [null, layer];
  return {
    qkv: matrix('qkv', layer.qkv, hidden, folded?.inputNorm),
    turnCos: table(turnTable(config, layer, false), turned),
    turnSin: table(turnTable(config, layer, true), turned),
    o: matrix('o', layer.o, heads * headDim),
    gateUp: matrix('gateUp', layer.gateUp, hidden, folded?.postNorm),
    down: matrix('down', layer.down, intermediateSize),
    ...vector('inputNorm', apart && apart.inputNorm),
    ...vector('postNorm', apart && apart.postNorm),
    ...vector('qkvBias', layer.qkvBias),
    ...vector('oBias', layer.oBias),
    ...vector('gateUpBias', layer.gateUpBias),
    ...vector('downBias', layer.downBias),
  };
}

/** Largest absolute score of a layer, the factor of its rotary scaling included. */
function boundOf(config: PolicyConfig, layer: LayerWeights): number {
  const { rope } = variantOf(config);
  return scoreBound(layer, rope.type === 'yarn' ? rope.attentionFactor : 1);
}

/** Copies weights that are in memory to the default device in the form of the generation kernels, in f32. */
export function uploadWeights(weights: PolicyWeights): DeviceWeights {
  const { config, embed } = weights;
  const { hiddenSize, vocabSize } = config;
  const head = foldedTranspose(weights.head, hiddenSize, weights.finalNorm);
  return {
    config,
    type: 'f32',
    layers: weights.layers.map((layer) => uploadLayer(config, layer, 'f32')),
    head: { matrix: np.array(head, { shape: [hiddenSize, vocabSize] }) },
    embed: { row: (id) => embed.subarray(id * hiddenSize, (id + 1) * hiddenSize) },
    scoreBound: Math.max(...weights.layers.map((layer) => boundOf(config, layer))),
  };
}

/** Rows of the output projection that are read and turned at a time. */
const HEAD_ROWS = 4096;

/**
 * The matrix of the output projection, [hidden, vocab], from pieces of it, so that the host holds it
 * once, in its type where the runtime has that.
 * @param norm is multiplied into its rows; null leaves them as they are
 */
export async function uploadHead(
  source: TensorSource,
  type: WeightType,
  norm: Float32Array | null,
): Promise<np.Array> {
  const { hiddenSize, vocabSize, tieWordEmbeddings } = source.config;
  const name = tieWordEmbeddings ? EMBED : HEAD;
  const length = hiddenSize * vocabSize;
  const turned = (type === 'f16' && halvesOf(length)) || new Float32Array(length);
  for (let from = 0; from < vocabSize; from += HEAD_ROWS) {
    const to = Math.min(vocabSize, from + HEAD_ROWS);
    const rows = await source.read(name, from * hiddenSize, to * hiddenSize);
    if (type === 'f16' && !fitsHalf(rows)) return uploadHead(source, 'f32', norm);
    for (let i = 0; i < hiddenSize; i++)
      for (let row = 0; row < to - from; row++)
        turned[i * vocabSize + from + row] = rows[row * hiddenSize + i]! * (norm?.[i] ?? 1);
  }
  return uploadMatrix(turned, hiddenSize, type);
}

/**
 * Copies weights to the default device layer by layer: of what is uploaded, the host holds one layer
 * at a time, and at the end the output projection. The embedding stays on the host as it is stored.
 *
 * @param options `type` that the matrices are held in, f32 unless given; `onLayer` is told the layers
 * done and their number
 */
export async function uploadFrom(
  source: TensorSource,
  options: {
    type?: WeightType;
    onLayer?: (done: number, layers: number) => void;
  } = {},
): Promise<DeviceWeights> {
  const { config } = source;
  const { type = 'f32' } = options;
  const layers: DeviceLayer[] = [];
  const embed = await embeddingOf(source);
  let bound = 0;
  try {
    for (let index = 0; index < config.layers; index++) {
      const layer = await readLayer(source, index);
      layers.push(uploadLayer(config, layer, type));
      bound = Math.max(bound, boundOf(config, layer));
      options.onLayer?.(index + 1, config.layers);
    }
    const norm = await source.read(FINAL_NORM);
    const head =
      type === 'f32'
        ? { matrix: await uploadHead(source, type, norm) }
        : { matrix: await uploadHead(source, type, null), norm: np.array(new Float32Array(norm)) };
    return { config, type, layers, head, embed, scoreBound: bound };
  } catch (error) {
    for (const layer of layers) disposeLayer(layer);
    throw error;
  }
}

export function disposeLayer(layer: DeviceLayer): void {
  for (const array of Object.values(layer) as np.Array[]) array.dispose();
}

export function disposeWeights(weights: DeviceWeights): void {
  for (const layer of weights.layers) disposeLayer(layer);
  weights.head.matrix.dispose();
  weights.head.norm?.dispose();
}
