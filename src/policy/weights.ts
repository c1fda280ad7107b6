import type { PolicyConfig } from './config.ts';
import { Random } from './random.ts';
import { readSafetensors, writeSafetensors, type Tensor } from './safetensors.ts';

/** One named tensor inside the flat parameter buffer; shapes are those of Hugging Face ([out, in]). */
export interface ParameterSlot {
  readonly name: string;
  readonly shape: readonly number[];
  /** First value and number of values in the flat buffer. */
  readonly offset: number;
  readonly length: number;
}

/** Views of one decoder layer. Matrices are row-major [out, in]. */
export interface LayerWeights {
  /** [hidden] */
  inputNorm: Float32Array;
  /** q, k and v stacked by rows: [(heads + 2 kvHeads) headDim, hidden]. */
  qkv: Float32Array;
  q: Float32Array;
  k: Float32Array;
  v: Float32Array;
  /** [headDim] */
  qNorm: Float32Array;
  kNorm: Float32Array;
  /** [hidden, heads headDim] */
  o: Float32Array;
  /** [hidden] */
  postNorm: Float32Array;
  /** gate and up stacked by rows: [2 intermediate, hidden]. */
  gateUp: Float32Array;
  gate: Float32Array;
  up: Float32Array;
  /** [hidden, intermediate] */
  down: Float32Array;
}

/** All parameters of a policy: typed views of one flat buffer. */
export interface PolicyWeights {
  readonly config: PolicyConfig;
  /** Every parameter, in the order of `parameterSlots(config)`. */
  readonly flat: Float32Array;
  readonly slots: readonly ParameterSlot[];
  /** [vocab, hidden] */
  readonly embed: Float32Array;
  readonly layers: readonly LayerWeights[];
  /** [hidden] */
  readonly finalNorm: Float32Array;
  /** [vocab, hidden]; the embedding itself where the two are tied. */
  readonly head: Float32Array;
}

const EMBED = 'model.embed_tokens.weight';
const FINAL_NORM = 'model.norm.weight';
const HEAD = 'lm_head.weight';
const layerName = (layer: number, part: string): string => `model.layers.${layer}.${part}.weight`;

/** q, k, v and gate, up are neighbours, so that each group is one matrix of stacked rows. */
function layerShapes(c: PolicyConfig): [part: string, shape: number[]][] {
  const queries = c.heads * c.headDim;
  const keys = c.kvHeads * c.headDim;
  return [
    ['input_layernorm', [c.hiddenSize]],
    ['self_attn.q_proj', [queries, c.hiddenSize]],
    ['self_attn.k_proj', [keys, c.hiddenSize]],
    ['self_attn.v_proj', [keys, c.hiddenSize]],
    ['self_attn.q_norm', [c.headDim]],
    ['self_attn.k_norm', [c.headDim]],
    ['self_attn.o_proj', [c.hiddenSize, queries]],
    ['post_attention_layernorm', [c.hiddenSize]],
    ['mlp.gate_proj', [c.intermediateSize, c.hiddenSize]],
    ['mlp.up_proj', [c.intermediateSize, c.hiddenSize]],
    ['mlp.down_proj', [c.hiddenSize, c.intermediateSize]],
  ];
}

/** Names, shapes and places of all parameters of a shape. */
export function parameterSlots(c: PolicyConfig): ParameterSlot[] {
  const shapes: [string, number[]][] = [[EMBED, [c.vocabSize, c.hiddenSize]]];
  for (let layer = 0; layer < c.layers; layer++)
    for (const [part, shape] of layerShapes(c)) shapes.push([layerName(layer, part), shape]);
  shapes.push([FINAL_NORM, [c.hiddenSize]]);
  if (!c.tieWordEmbeddings) shapes.push([HEAD, [c.vocabSize, c.hiddenSize]]);
  let offset = 0;
  return shapes.map(([name, shape]) => {
    const length = shape.reduce((a, b) => a * b, 1);
    const slot = { name, shape, offset, length };
    offset += length;
    return slot;
  });
}

/** Number of parameters (float32 values) of a shape. */
export function parameterCount(config: PolicyConfig): number {
  return parameterSlots(config).reduce((sum, slot) => sum + slot.length, 0);
}

/** Typed views of a flat buffer, which may be shared memory. @throws Error on a wrong length. */
export function viewWeights(config: PolicyConfig, flat: Float32Array): PolicyWeights {
  const slots = parameterSlots(config);
  const byName = new Map(slots.map((slot) => [slot.name, slot]));
  const total = slots.reduce((sum, slot) => sum + slot.length, 0);
  if (flat.length !== total)
    throw new Error(`weights: ${flat.length} values given, this shape has ${total}`);
  const between = (first: string, last = first): Float32Array => {
    const [a, b] = [byName.get(first)!, byName.get(last)!];
    return flat.subarray(a.offset, b.offset + b.length);
  };
  const layers = Array.from({ length: config.layers }, (_, layer): LayerWeights => {
    const of = (part: string, last = part): Float32Array =>
      between(layerName(layer, part), layerName(layer, last));
    return {
      inputNorm: of('input_layernorm'),
      qkv: of('self_attn.q_proj', 'self_attn.v_proj'),
      q: of('self_attn.q_proj'),
      k: of('self_attn.k_proj'),
      v: of('self_attn.v_proj'),
      qNorm: of('self_attn.q_norm'),
      kNorm: of('self_attn.k_norm'),
      o: of('self_attn.o_proj'),
      postNorm: of('post_attention_layernorm'),
      gateUp: of('mlp.gate_proj', 'mlp.up_proj'),
      gate: of('mlp.gate_proj'),
      up: of('mlp.up_proj'),
      down: of('mlp.down_proj'),
    };
  });
  const embed = between(EMBED);
  const head = config.tieWordEmbeddings ? embed : between(HEAD);
  return { config, flat, slots, embed, layers, finalNorm: between(FINAL_NORM), head };
}

/**
 * Fresh weights: norms 1, matrices normal with deviation `1/sqrt(in)`.
 * Residual outputs (o, down) are divided by `sqrt(2 layers)` as in GPT-2, so that the residual
 * stream keeps its scale with depth; the embedding has deviation 0.02.
 */
export function initWeights(
  config: PolicyConfig,
  seed: number,
  flat?: Float32Array,
): PolicyWeights {
  const weights = viewWeights(config, flat ?? new Float32Array(parameterCount(config)));
  const random = new Random(seed);
  for (const { name, shape, offset, length } of weights.slots) {
    const values = weights.flat.subarray(offset, offset + length);
    if (shape.length === 1) values.fill(1);
    else random.fillNormal(values, initialDeviation(config, name, shape));
  }
  return weights;
}

function initialDeviation(config: PolicyConfig, name: string, shape: readonly number[]): number {
  if (name === EMBED || name === HEAD) return 0.02;
  const deviation = 1 / Math.sqrt(shape[1]!);
  const writesResidual = name.includes('o_proj') || name.includes('down_proj');
  return writesResidual ? deviation / Math.sqrt(2 * config.layers) : deviation;
}

/** Places named tensors of a checkpoint. @throws Error naming what is missing or misshapen. */
export function weightsFromTensors(
  config: PolicyConfig,
  tensors: ReadonlyMap<string, Tensor>,
): PolicyWeights {
  const weights = viewWeights(config, new Float32Array(parameterCount(config)));
  for (const { name, shape, offset } of weights.slots) {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`weights: tensor "${name}" is missing`);
    if (tensor.shape.join() !== shape.join())
      throw new Error(
        `weights: tensor "${name}" has shape [${tensor.shape.join(', ')}], config.json asks for [${shape.join(', ')}]`,
      );
    weights.flat.set(tensor.data, offset);
  }
  return weights;
}

/** Reads `model.safetensors` of a checkpoint. */
export function readWeights(config: PolicyConfig, bytes: Uint8Array): PolicyWeights {
  return weightsFromTensors(config, readSafetensors(bytes));
}

/** Writes `model.safetensors` with Hugging Face names. */
export function writeWeights(
  weights: PolicyWeights,
  dtype: 'F32' | 'F16' = 'F16',
): Uint8Array<ArrayBuffer> {
  const tensors = weights.slots.map(
    ({ name, shape, offset, length }) =>
      [name, { shape, data: weights.flat.subarray(offset, offset + length) }] as const,
  );
  return writeSafetensors(new Map(tensors), dtype);
}
