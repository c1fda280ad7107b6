import { numpy as np } from '@jax-js/jax';
import type { PolicyConfig } from '../config.ts';
import { scoreBound } from './decoder.ts';
import type { LayerWeights, PolicyWeights } from '../weights.ts';

/**
 * Matrices of one decoder layer as the generation kernels read them: [in, out], with the weight of
 * the RMSNorm before them multiplied into their rows, so that a norm costs one number a row.
 */
export interface DeviceLayer {
  /** [hidden, (heads + 2 kvHeads) headDim] */
  readonly qkv: np.Array;
  /** [heads + kvHeads, headDim]: q and k norm weights; queries' also hold 1/sqrt(headDim). */
  readonly turnCos: np.Array;
  /** The same with the two halves of the head swapped: what multiplies the sine. */
  readonly turnSin: np.Array;
  /** [heads headDim, hidden] */
  readonly o: np.Array;
  /** [hidden, 2 intermediate] */
  readonly gateUp: np.Array;
  /** [intermediate, hidden] */
  readonly down: np.Array;
}

export interface DeviceWeights {
  readonly config: PolicyConfig;
  readonly layers: readonly DeviceLayer[];
  /** [hidden, vocab], the final norm's weight multiplied into its rows. */
  readonly head: np.Array;
  /** [vocab, hidden], kept on the host, where rows are picked. */
  readonly embed: Float32Array;
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
      table[head * headDim + i] = norm[from]! * scale;
    }
  }
  return table;
}

function uploadLayer(config: PolicyConfig, layer: LayerWeights): DeviceLayer {
  const { hiddenSize: hidden, heads, kvHeads, headDim, intermediateSize } = config;
  const upload = (values: Float32Array<ArrayBuffer>, inputs: number): np.Array =>
    np.array(values, { shape: [inputs, values.length / inputs] });
  const turned = heads + kvHeads;
  return {
    qkv: upload(foldedTranspose(layer.qkv, hidden, layer.inputNorm), hidden),
    turnCos: upload(turnTable(config, layer, false), turned),
    turnSin: upload(turnTable(config, layer, true), turned),
    o: upload(foldedTranspose(layer.o, heads * headDim), heads * headDim),
    gateUp: upload(foldedTranspose(layer.gateUp, hidden, layer.postNorm), hidden),
    down: upload(foldedTranspose(layer.down, intermediateSize), intermediateSize),
  };
}

/** Copies weights to the default device in the form of the generation kernels. */
export function uploadWeights(weights: PolicyWeights): DeviceWeights {
  const { config } = weights;
  const head = foldedTranspose(weights.head, config.hiddenSize, weights.finalNorm);
  return {
    config,
    layers: weights.layers.map((layer) => uploadLayer(config, layer)),
    head: np.array(head, { shape: [config.hiddenSize, config.vocabSize] }),
    embed: weights.embed,
    scoreBound: Math.max(...weights.layers.map(scoreBound)),
  };
}

export function disposeWeights(weights: DeviceWeights): void {
  for (const layer of weights.layers)
    for (const array of [
      layer.qkv,
      layer.turnCos,
      layer.turnSin,
      layer.o,
      layer.gateUp,
      layer.down,
    ])
      array.dispose();
  weights.head.dispose();
}
