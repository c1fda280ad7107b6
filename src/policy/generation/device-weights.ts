import { numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../config.ts';
import { embeddingOf, readLayer, type Embedding, type TensorSource } from '../tensor-source.ts';
import { EMBED, FINAL_NORM, HEAD, type LayerWeights, type PolicyWeights } from '../weights.ts';
import { scoreBound } from './decoder.ts';

/**
 * Matrices of one decoder layer as the generation kernels read them: [in, out], with the weight of
 * the RMSNorm before them multiplied into their rows, so that a norm costs one number a row.
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

export interface DeviceWeights {
  readonly config: PolicyConfig;
  readonly layers: DeviceLayer[];
  /** [hidden, vocab], the final norm's weight multiplied into its rows. */
  readonly head: np.Array;
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

/** One layer in the form of the generation kernels, on the default device. */
export function uploadLayer(config: PolicyConfig, layer: LayerWeights): DeviceLayer {
  const { hiddenSize: hidden, heads, kvHeads, headDim, intermediateSize } = config;
  const upload = (values: Float32Array<ArrayBuffer>, inputs: number): np.Array =>
    np.array(values, { shape: [inputs, values.length / inputs] });
  const turned = heads + kvHeads;
  const bias = (name: string, values: Float32Array | null) =>
    values && { [name]: np.array(new Float32Array(values)) };
  return {
    qkv: upload(foldedTranspose(layer.qkv, hidden, layer.inputNorm), hidden),
    turnCos: upload(turnTable(config, layer, false), turned),
    turnSin: upload(turnTable(config, layer, true), turned),
    o: upload(foldedTranspose(layer.o, heads * headDim), heads * headDim),
    gateUp: upload(foldedTranspose(layer.gateUp, hidden, layer.postNorm), hidden),
    down: upload(foldedTranspose(layer.down, intermediateSize), intermediateSize),
    ...bias('qkvBias', layer.qkvBias),
    ...bias('oBias', layer.oBias),
    ...bias('gateUpBias', layer.gateUpBias),
    ...bias('downBias', layer.downBias),
  };
}

/** Largest absolute score of a layer, the factor of its rotary scaling included. */
function boundOf(config: PolicyConfig, layer: LayerWeights): number {
  const { rope } = variantOf(config);
  return scoreBound(layer, rope.type === 'yarn' ? rope.attentionFactor : 1);
}

/** Copies weights to the default device in the form of the generation kernels. */
export function uploadWeights(weights: PolicyWeights): DeviceWeights {
  const { config, embed } = weights;
  const { hiddenSize } = config;
  const head = foldedTranspose(weights.head, hiddenSize, weights.finalNorm);
  return {
    config,
    layers: weights.layers.map((layer) => uploadLayer(config, layer)),
    head: np.array(head, { shape: [hiddenSize, config.vocabSize] }),
    embed: { row: (id) => embed.subarray(id * hiddenSize, (id + 1) * hiddenSize) },
    scoreBound: Math.max(...weights.layers.map((layer) => boundOf(config, layer))),
  };
}

/** Rows of the output projection that are read and turned at a time. */
const HEAD_ROWS = 4096;

/** The output projection, [hidden, vocab], from pieces of it. */
async function uploadHead(source: TensorSource): Promise<np.Array> {
  const { hiddenSize, vocabSize, tieWordEmbeddings } = source.config;
  const name = tieWordEmbeddings ? EMBED : HEAD;
  const norm = await source.read(FINAL_NORM);
  const turned = new Float32Array(hiddenSize * vocabSize);
  for (let from = 0; from < vocabSize; from += HEAD_ROWS) {
    const to = Math.min(vocabSize, from + HEAD_ROWS);
    const rows = await source.read(name, from * hiddenSize, to * hiddenSize);
    for (let i = 0; i < hiddenSize; i++)
      for (let row = 0; row < to - from; row++)
        turned[i * vocabSize + from + row] = rows[row * hiddenSize + i]! * norm[i]!;
  }
  return np.array(turned, { shape: [hiddenSize, vocabSize] });
}

/**
 * Copies weights to the default device layer by layer: of what is uploaded, the host holds one layer
 * at a time, and at the end the output projection. The embedding stays on the host as it is stored.
 *
 * @param onLayer told the layers done and their number
 */
export async function uploadFrom(
  source: TensorSource,
  options: {
    onLayer?: (done: number, layers: number) => void;
  } = {},
): Promise<DeviceWeights> {
  const { config } = source;
  const layers: DeviceLayer[] = [];
  const embed = await embeddingOf(source);
  let bound = 0;
  try {
    for (let index = 0; index < config.layers; index++) {
      const layer = await readLayer(source, index);
      layers.push(uploadLayer(config, layer));
      bound = Math.max(bound, boundOf(config, layer));
      options.onLayer?.(index + 1, config.layers);
    }
    return { config, layers, head: await uploadHead(source), embed, scoreBound: bound };
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
  weights.head.dispose();
}
