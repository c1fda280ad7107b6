import { variantOf, type PolicyConfig } from './config.ts';
import { Random } from '../../base/random.ts';
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
  /** Biases of q, k and v, one after the other; null in families without them. */
  qkvBias: Float32Array | null;
  /** [headDim]; null in families without QK-norm. */
  qNorm: Float32Array | null;
  kNorm: Float32Array | null;
  /** [hidden, heads headDim] */
  o: Float32Array;
  /** [hidden] or null */
  oBias: Float32Array | null;
  /** Of what attention gives, [hidden]; null in families without. */
  attentionOutputNorm: Float32Array | null;
  /** [hidden] */
  mlpNorm: Float32Array;
  /** gate and up stacked by rows: [2 intermediate, hidden]. */
  gateUp: Float32Array;
  gate: Float32Array;
  up: Float32Array;
  /** Biases of gate and up, one after the other, or null. */
  gateUpBias: Float32Array | null;
  /** [hidden, intermediate] */
  down: Float32Array;
  /** [hidden] or null */
  downBias: Float32Array | null;
  /** Of what the feed-forward layer gives, [hidden]; null in families without. */
  mlpOutputNorm: Float32Array | null;
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

export const EMBED = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
export const HEAD = 'lm_head.weight';
/** The layer in the name of a tensor. */
export const LAYER = /^model\.layers\.(\d+)\./;
/** Name of a parameter of a layer, such as `model.layers.0.self_attn.q_proj.weight`. */
export const layerName = (layer: number, part: string): string => `model.layers.${layer}.${part}`;

/**
 * The norms beside those of heads, by part of a layer. Where outputs are normed too, the norm before the feed-forward
 * layer has the name that says so.
 */
export const normParts = (c: PolicyConfig) =>
  variantOf(c).outputNorms
    ? {
        attentionOutput: 'post_attention_layernorm.weight',
        mlp: 'pre_feedforward_layernorm.weight',
        mlpOutput: 'post_feedforward_layernorm.weight',
      }
    : { attentionOutput: null, mlp: 'post_attention_layernorm.weight', mlpOutput: null };

/**
 * q, k, v and gate, up are neighbours, so that each group is one matrix of stacked rows; so are their
 * biases.
 */
function layerShapes(c: PolicyConfig): [part: string, shape: number[]][] {
  const queries = c.heads * c.headDim;
  const keys = c.kvHeads * c.headDim;
  const { qkNorm, qkvBias, oBias, mlpBias } = variantOf(c);
  const where = (there: boolean, ...parts: [string, number[]][]) => (there ? parts : []);
  const norms = normParts(c);
  const norm = (part: string | null): [string, number[]][] =>
    part === null ? [] : [[part, [c.hiddenSize]]];
  return [
    ['input_layernorm.weight', [c.hiddenSize]],
    ['self_attn.q_proj.weight', [queries, c.hiddenSize]],
    ['self_attn.k_proj.weight', [keys, c.hiddenSize]],
    ['self_attn.v_proj.weight', [keys, c.hiddenSize]],
    ...where(
      qkvBias,
      ['self_attn.q_proj.bias', [queries]],
      ['self_attn.k_proj.bias', [keys]],
      ['self_attn.v_proj.bias', [keys]],
    ),
    ...where(qkNorm, ['self_attn.q_norm.weight', [c.headDim]]),
    ...where(qkNorm, ['self_attn.k_norm.weight', [c.headDim]]),
    ['self_attn.o_proj.weight', [c.hiddenSize, queries]],
    ...where(oBias, ['self_attn.o_proj.bias', [c.hiddenSize]]),
    ...norm(norms.attentionOutput),
    ...norm(norms.mlp),
    ['mlp.gate_proj.weight', [c.intermediateSize, c.hiddenSize]],
    ['mlp.up_proj.weight', [c.intermediateSize, c.hiddenSize]],
    ...where(
      mlpBias,
      ['mlp.gate_proj.bias', [c.intermediateSize]],
      ['mlp.up_proj.bias', [c.intermediateSize]],
    ),
    ['mlp.down_proj.weight', [c.hiddenSize, c.intermediateSize]],
    ...where(mlpBias, ['mlp.down_proj.bias', [c.hiddenSize]]),
    ...norm(norms.mlpOutput),
  ];
}

const placed = (shapes: readonly [name: string, shape: number[]][]): ParameterSlot[] => {
  let offset = 0;
  return shapes.map(([name, shape]) => {
    const length = shape.reduce((a, b) => a * b, 1);
    const slot = { name, shape, offset, length };
    offset += length;
    return slot;
  });
};

/** The parameters of one layer, their offsets counted from the layer's first. */
export const layerSlots = (c: PolicyConfig, layer: number): ParameterSlot[] =>
  placed(layerShapes(c).map(([part, shape]) => [layerName(layer, part), shape]));

/** Names, shapes and places of all parameters of a shape. */
export function parameterSlots(c: PolicyConfig): ParameterSlot[] {
  const shapes: [string, number[]][] = [[EMBED, [c.vocabSize, c.hiddenSize]]];
  for (let layer = 0; layer < c.layers; layer++)
    for (const [part, shape] of layerShapes(c)) shapes.push([layerName(layer, part), shape]);
  shapes.push([FINAL_NORM, [c.hiddenSize]]);
  if (!c.tieWordEmbeddings) shapes.push([HEAD, [c.vocabSize, c.hiddenSize]]);
  return placed(shapes);
}

/** Number of parameters (float32 values) of a shape. */
export function parameterCount(config: PolicyConfig): number {
  return parameterSlots(config).reduce((sum, slot) => sum + slot.length, 0);
}

/** Typed views of the values of one layer, which lie in the order of `layerSlots`. */
export function viewLayer(config: PolicyConfig, values: Float32Array): LayerWeights {
  const slots = new Map(layerSlots(config, 0).map((slot) => [slot.name, slot]));
  const of = (part: string, last = part): Float32Array => {
    const [a, b] = [slots.get(layerName(0, part))!, slots.get(layerName(0, last))!];
    return values.subarray(a.offset, b.offset + b.length);
  };
  const { qkNorm, qkvBias, oBias, mlpBias } = variantOf(config);
  const norms = normParts(config);
  return {
    inputNorm: of('input_layernorm.weight'),
    qkv: of('self_attn.q_proj.weight', 'self_attn.v_proj.weight'),
    q: of('self_attn.q_proj.weight'),
    k: of('self_attn.k_proj.weight'),
    v: of('self_attn.v_proj.weight'),
    qkvBias: qkvBias ? of('self_attn.q_proj.bias', 'self_attn.v_proj.bias') : null,
    qNorm: qkNorm ? of('self_attn.q_norm.weight') : null,
    kNorm: qkNorm ? of('self_attn.k_norm.weight') : null,
    o: of('self_attn.o_proj.weight'),
    oBias: oBias ? of('self_attn.o_proj.bias') : null,
    attentionOutputNorm: norms.attentionOutput === null ? null : of(norms.attentionOutput),
    mlpNorm: of(norms.mlp),
    gateUp: of('mlp.gate_proj.weight', 'mlp.up_proj.weight'),
    gate: of('mlp.gate_proj.weight'),
    up: of('mlp.up_proj.weight'),
    gateUpBias: mlpBias ? of('mlp.gate_proj.bias', 'mlp.up_proj.bias') : null,
    down: of('mlp.down_proj.weight'),
    downBias: mlpBias ? of('mlp.down_proj.bias') : null,
    mlpOutputNorm: norms.mlpOutput === null ? null : of(norms.mlpOutput),
  };
}

/** Typed views of a flat buffer, which may be shared memory. @throws Error on a wrong length. */
export function viewWeights(config: PolicyConfig, flat: Float32Array): PolicyWeights {
  const slots = parameterSlots(config);
  const total = slots.reduce((sum, slot) => sum + slot.length, 0);
  if (flat.length !== total)
    throw new Error(`weights: ${flat.length} values given, this shape has ${total}`);
  const of = (name: string): Float32Array => {
    const { offset, length } = slots.find((slot) => slot.name === name)!;
    return flat.subarray(offset, offset + length);
  };
  const embed = of(EMBED);
  const layerLength = layerSlots(config, 0).reduce((sum, slot) => sum + slot.length, 0);
  const layers = Array.from({ length: config.layers }, (_, layer): LayerWeights => {
    const first = embed.length + layer * layerLength;
    return viewLayer(config, flat.subarray(first, first + layerLength));
  });
  const head = config.tieWordEmbeddings ? embed : of(HEAD);
  return { config, flat, slots, embed, layers, finalNorm: of(FINAL_NORM), head };
}

/**
 * Fresh weights: norms 1, biases 0, matrices normal with deviation `1/sqrt(in)`.
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
    if (name.endsWith('.bias')) values.fill(0);
    else if (shape.length === 1) values.fill(1 - variantOf(config).normOffset);
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
