import { grad, jit, numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../../config.ts';
import { foldedTranspose, uploadHead } from '../../generation/device-weights.ts';
import { Rotary } from '../../generation/rotary.ts';
import { uploadMatrix } from '../../generation/upload-matrix.ts';
import {
  embeddingOf,
  readLayer,
  sourceOf,
  type Embedding,
  type TensorSource,
} from '../../tensor-source.ts';
import type { PackedBatch } from '../../train-batch.ts';
import type { TrainLimits } from '../../train-memory.ts';
import type { WeightType } from '../../weight-type.ts';
import { FINAL_NORM, type LayerWeights, type PolicyWeights } from '../../weights.ts';
import { checkedSlots, checkSpec } from '../check.ts';
import { loraSlots, type LoraSlot, type LoraSpec, type LoraTarget } from '../spec.ts';
import type { LoraTrainer, RowScores } from '../trainer.ts';
import { headFunctions, type HeadFunctions, type JaxHead } from './head.ts';
import { adaptedLayer, type JaxFactors, type JaxLayer, type JaxPositions } from './layer.ts';
import { headRows, padBatch, type PaddedPart } from './padding.ts';

type LayerForward = (
  x: np.Array,
  factors: JaxFactors,
  weights: JaxLayer,
  at: JaxPositions,
) => np.Array;
type LayerBackward = (
  x: np.Array,
  factors: JaxFactors,
  weights: JaxLayer,
  at: JaxPositions,
  dy: np.Array,
) => [np.Array, JaxFactors];

interface Compiled {
  forward: LayerForward;
  /** ∂/∂x and ∂/∂factors of `Σ layer(x) · dy`: computes the layer again inside. */
  backward: LayerBackward;
  positions: JaxPositions;
  /** The same without turning, for layers without rotary positions. */
  still: JaxPositions | null;
}

/** Another reference to every array of a record, for a call that consumes it. */
const shared = <T extends object>(record: T): T =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]: [string, unknown]) => [
      key,
      value instanceof np.Array ? value.ref : shared(value as object),
    ]),
  ) as T;

function disposeAll(record: object): void {
  for (const value of Object.values(record) as unknown[])
    if (value instanceof np.Array) value.dispose();
    else disposeAll(value as object);
}

const matrix = (values: Float32Array<ArrayBuffer>, rows: number): np.Array =>
  np.array(values, { shape: [rows, values.length / rows] });

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
interface JaxBase {
  config: PolicyConfig;
  embed: Embedding;
  layers: JaxLayer[];
  head: JaxHead;
}

/** Uploads a policy layer by layer. */
async function uploadBase(source: TensorSource, type: WeightType): Promise<JaxBase> {
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

/** [1, 1, group · tokens, tokens]: −1e9 for positions to come, else 0. */
function causalMask(group: number, tokens: number): np.Array {
  const values = new Float32Array(group * tokens * tokens);
  for (let row = 0; row < group * tokens; row++)
    values.fill(-1e9, row * tokens + (row % tokens) + 1, (row + 1) * tokens);
  return np.array(values, { shape: [1, 1, group * tokens, tokens] });
}

/** What the forward pass of a rectangle keeps: the input of every layer, and of the head. */
interface Kept {
  part: PaddedPart;
  inputs: np.Array[];
  /** [sequences · tokens, hidden], on the host. */
  output: Float32Array;
}

/** Rows of one call of the head. */
interface HeadRows {
  /** [rows, hidden] */
  x: np.Array;
  /** [rows], int32 */
  targets: np.Array;
  /** 1 / temperature, [rows, 1]; null where all are 1. */
  inverse: np.Array | null;
  /** Those that are no padding. */
  rows: PaddedPart['rows'];
}

/**
 * LoRA training by jax-js, on WebGPU or WASM. Layer at a time: of a layer only its input is kept, and
 * its backward pass computes the rest again inside one compiled function. Sequences are padded into
 * rectangles of few shapes, since each shape is compiled once.
 *
 * The base is held in float32 or float16, products and gradients are float32; a matrix of scores, [sequences, heads, tokens, tokens], exists within
 * a layer.
 */
class JaxLoraTrainer implements LoraTrainer {
  readonly maxTokens: number;
  readonly #config: PolicyConfig;
  readonly #spec: LoraSpec;
  readonly #slots: readonly LoraSlot[];
  readonly #embed: Embedding;
  readonly #layers: JaxLayer[];
  readonly #head: JaxHead;
  readonly #headFunctions: HeadFunctions;
  readonly #rotary: Rotary;
  readonly #compiled = new Map<string, Compiled>();
  /** By layer; null before the first `setAdapter` and while it is off. */
  #factors: JaxFactors[] | null = null;
  #state: 'none' | 'off' | 'on' = 'none';
  #gradient: Float32Array;
  #keptBytes = 0;

  constructor({ config, layers, embed, head }: JaxBase, spec: LoraSpec, limits: TrainLimits) {
    this.maxTokens = limits.maxTokens;
    this.#config = config;
    this.#spec = spec;
    this.#slots = loraSlots(config, spec);
    this.#embed = embed;
    this.#layers = layers;
    this.#head = head;
    this.#headFunctions = headFunctions(config);
    this.#rotary = new Rotary(config);
    this.#gradient = new Float32Array(this.#size);
  }

  get #size(): number {
    const last = this.#slots.at(-1)!;
    return last.offset + last.length;
  }

  get bytes(): number {
    const layers = this.#layers.flatMap(({ biases, ...layer }) => [
      ...Object.values<np.Array>(layer),
      ...Object.values(biases),
    ]);
    const base = [...layers, this.#head.norm, this.#head.matrix].reduce(
      (sum, { size, dtype }) => sum + size * (dtype === np.float16 ? 2 : 4),
      0,
    );
    return base + 4 * 2 * this.#size + this.#keptBytes;
  }

  async setAdapter(flat: Float32Array | null): Promise<void> {
    if (flat !== null) checkedSlots(this.#config, this.#spec, flat);
    if (this.#factors) disposeAll(this.#factors);
    this.#factors = flat && this.#upload(flat);
    this.#state = flat === null ? 'off' : 'on';
  }

  async score(batch: PackedBatch): Promise<RowScores> {
    const kept = await this.#forward(batch, false);
    return this.#scores(batch, kept);
  }

  async accumulate(
    batch: PackedBatch,
    weigh: (scores: RowScores) => Float32Array,
  ): Promise<RowScores> {
    if (this.#state !== 'on') throw new Error('adapter: it is switched off; there is no gradient');
    const kept = await this.#forward(batch, true);
    const scores = await this.#scores(batch, kept);
    const coefficients = weigh(scores);
    if (coefficients.length !== batch.rows.length)
      throw new Error('batch: the loss must give one coefficient a row');
    for (const one of kept) await this.#backward(batch, one, coefficients);
    return scores;
  }

  zeroGradients(): void {
    this.#gradient.fill(0);
  }

  async gradients(): Promise<Float32Array> {
    return this.#gradient.slice();
  }

  dispose(): void {
    if (this.#factors) disposeAll(this.#factors);
    this.#factors = null;
    disposeAll(this.#layers);
    disposeAll(this.#head);
    for (const { positions, still } of this.#compiled.values()) {
      disposeAll(positions);
      if (still) disposeAll(still);
    }
    this.#compiled.clear();
  }

  #upload(flat: Float32Array): JaxFactors[] {
    const layers: JaxFactors[] = this.#layers.map(() => ({}));
    for (let i = 0; i < this.#slots.length; i += 2) {
      const [a, b] = [this.#slots[i]!, this.#slots[i + 1]!];
      const factor = ({ offset, length, shape }: LoraSlot): np.Array =>
        matrix(new Float32Array(flat.subarray(offset, offset + length)), shape[0]);
      layers[a.layer]![a.target] = { A: factor(a), B: factor(b) };
    }
    return layers;
  }

  /** Functions and tables for a shape; compiled by jax-js when they are first called. */
  #compile({ sequences, tokens }: PaddedPart): Compiled {
    const key = `${sequences}×${tokens}×${this.#state}`;
    const found = this.#compiled.get(key);
    if (found) return found;
    const scale = this.#spec.alpha / this.#spec.rank;
    const shape = { config: this.#config, sequences, tokens, scale };
    const layer: LayerForward = (x, factors, weights, at) =>
      adaptedLayer(shape, x, factors, weights, at);
    const against = (
      x: np.Array,
      factors: JaxFactors,
      weights: JaxLayer,
      at: JaxPositions,
      dy: np.Array,
    ): np.Array => layer(x, factors, weights, at).mul(dy).sum();
    const { headDim, heads, kvHeads } = this.#config;
    const table = (values: Float32Array): np.Array =>
      np.array(new Float32Array(values), { shape: [1, tokens, 1, headDim] });
    const { cos, sin } = this.#rotary.first(tokens);
    const hide = causalMask(heads / kvHeads, tokens);
    const partly = variantOf(this.#config).unturnedLayers.length > 0;
    const compiled: Compiled = {
      forward: jit(layer as never) as unknown as LayerForward,
      backward: jit(
        grad(against as never, { argnums: [0, 1] }) as never,
      ) as unknown as LayerBackward,
      positions: { cos: table(cos), sin: table(sin), hide },
      still: partly
        ? { cos: table(cos.map(() => 1)), sin: table(sin.map(() => 0)), hide: hide.ref }
        : null,
    };
    this.#compiled.set(key, compiled);
    return compiled;
  }

  /** What layer `l` turns by; a reference for a call that consumes it. */
  #positions({ positions, still }: Compiled, l: number): JaxPositions {
    const unturned = still && variantOf(this.#config).unturnedLayers.includes(l);
    return shared(unturned ? still : positions);
  }

  /** Embeddings of a rectangle; padding is zeros, which RMSNorm keeps finite by its epsilon. */
  #embedded(batch: PackedBatch, { sequences, tokens, starts, lengths }: PaddedPart): np.Array {
    const d = this.#config.hiddenSize;
    const values = new Float32Array(sequences * tokens * d);
    starts.forEach((start, s) => {
      for (let i = 0; i < lengths[s]!; i++) {
        const id = batch.ids[start + i]!;
        values.set(this.#embed.row(id), (s * tokens + i) * d);
      }
    });
    return np.array(values, { shape: [sequences * tokens, d] });
  }

  async #forward(batch: PackedBatch, keep: boolean): Promise<Kept[]> {
    if (this.#state === 'none') throw new Error('adapter: none was set');
    const all: Kept[] = [];
    this.#keptBytes = 0;
    for (const part of padBatch(batch, this.maxTokens)) {
      const compiled = this.#compile(part);
      const inputs: np.Array[] = [];
      let x = this.#embedded(batch, part);
      for (const [l, weights] of this.#layers.entries()) {
        if (keep) {
          inputs.push(x.ref);
          this.#keptBytes += 4 * x.size;
        }
        const factors = shared(this.#factors?.[l] ?? {});
        x = compiled.forward(x, factors, shared(weights), this.#positions(compiled, l));
      }
      all.push({ part, inputs, output: (await x.data()) as Float32Array });
    }
    return all;
  }

  /** Calls `use` for every `headRows` rows of a rectangle, with their hidden states and temperatures. */
  async #byRows(
    batch: PackedBatch,
    { part, output }: Kept,
    use: (given: HeadRows) => Promise<void>,
  ): Promise<void> {
    const d = this.#config.hiddenSize;
    const most = headRows(this.#config.vocabSize);
    for (let from = 0; from < part.rows.length; from += most) {
      const rows = part.rows.slice(from, from + most);
      const x = new Float32Array(most * d);
      const targets = new Int32Array(most);
      rows.forEach(({ place, row }, i) => {
        x.set(output.subarray(row * d, (row + 1) * d), i * d);
        targets[i] = batch.targets[place]!;
      });
      const inverse = new Float32Array(most).fill(1);
      rows.forEach(({ place }, i) => (inverse[i] = 1 / (batch.temperatures?.[place] ?? 1)));
      await use({
        x: np.array(x, { shape: [most, d] }),
        targets: np.array(targets),
        inverse: batch.temperatures ? np.array(inverse, { shape: [most, 1] }) : null,
        rows,
      });
    }
  }

  async #scores(batch: PackedBatch, kept: readonly Kept[]): Promise<RowScores> {
    const logprobs = new Float32Array(batch.rows.length);
    const entropies = new Float32Array(batch.rows.length);
    for (const one of kept)
      await this.#byRows(batch, one, async ({ x, targets, inverse, rows }) => {
        const result = this.#headFunctions.scores(x, targets, shared(this.#head), inverse);
        const [p, h] = [await result.logprobs.data(), await result.entropies.data()];
        rows.forEach(({ place }, i) => {
          logprobs[place] = p[i]!;
          entropies[place] = h[i]!;
        });
      });
    return { logprobs, entropies };
  }

  async #backward(batch: PackedBatch, kept: Kept, coefficients: Float32Array): Promise<void> {
    const { part, inputs } = kept;
    const compiled = this.#compile(part);
    let dx = await this.#headBackward(batch, kept, coefficients);
    for (let l = this.#layers.length - 1; l >= 0; l--) {
      const factors = shared(this.#factors![l]!);
      const [next, gradients] = compiled.backward(
        inputs[l]!,
        factors,
        shared(this.#layers[l]!),
        this.#positions(compiled, l),
        dx,
      );
      dx = next;
      await this.#collect(l, gradients);
    }
    dx.dispose();
  }

  /** ∂L/∂(output of the last layer), [sequences · tokens, hidden]. */
  async #headBackward(
    batch: PackedBatch,
    kept: Kept,
    coefficients: Float32Array,
  ): Promise<np.Array> {
    const d = this.#config.hiddenSize;
    const { sequences, tokens } = kept.part;
    const all = new Float32Array(sequences * tokens * d);
    await this.#byRows(batch, kept, async ({ x, targets, inverse, rows }) => {
      const c = new Float32Array(targets.size);
      rows.forEach(({ place }, i) => (c[i] = coefficients[place]!));
      const head = shared(this.#head);
      const gradient = this.#headFunctions.backward(x, targets, np.array(c), head, inverse);
      const values = (await gradient.data()) as Float32Array;
      rows.forEach(({ row }, i) => all.set(values.subarray(i * d, (i + 1) * d), row * d));
    });
    return np.array(all, { shape: [sequences * tokens, d] });
  }

  async #collect(layer: number, gradients: JaxFactors): Promise<void> {
    for (const { layer: of, target, factor, offset } of this.#slots) {
      if (of !== layer) continue;
      const values = (await gradients[target]![factor].data()) as Float32Array;
      for (let i = 0; i < values.length; i++) this.#gradient[offset + i]! += values[i]!;
    }
  }
}

/**
 * Trains on jax-js's default device; `startDevice` of the policy's loader chooses it.
 * @param weights in memory, or a source that is read layer by layer
 * @param type what the device holds the frozen matrices in
 * @throws RangeError for a spec that no adapter can have
 */
export async function createJaxLoraTrainer(
  weights: PolicyWeights | TensorSource,
  spec: LoraSpec,
  limits: TrainLimits,
  type: WeightType = 'f32',
): Promise<LoraTrainer> {
  checkSpec(spec);
  const source = 'flat' in weights ? sourceOf(weights) : weights;
  return new JaxLoraTrainer(await uploadBase(source, type), spec, limits);
}
