import { grad, jit, numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../../checkpoint/config.ts';
import { Rotary } from '../../engine/rotary.ts';
import { sourceOf, type Embedding, type TensorSource } from '../../checkpoint/tensor-source.ts';
import type { PackedBatch } from '../train-batch.ts';
import type { TrainLimits } from '../train-batch.ts';
import type { WeightType } from '../../checkpoint/weight-type.ts';
import type { PolicyWeights } from '../../checkpoint/weights.ts';
import { checkedSlots, checkSpec } from '../check.ts';
import { loraSlots, type LoraSlot, type LoraSpec } from '../spec.ts';
import type { LoraTrainer, RowScores } from '../trainer.ts';
import { disposeAll, shared } from './arrays.ts';
import { uploadBase, type JaxBase } from './base.ts';
import { byHeadRows, type HeadInput } from './head-rows.ts';
import { headFunctions, type HeadFunctions, type JaxHead } from './head.ts';
import { adaptedLayer, type JaxFactors, type JaxLayer, type JaxPositions } from './layer.ts';
import { padBatch, type PaddedPart } from './padding.ts';

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

const matrix = (values: Float32Array<ArrayBuffer>, rows: number): np.Array =>
  np.array(values, { shape: [rows, values.length / rows] });

/** [1, 1, group · tokens, tokens]: −1e9 for positions to come, else 0. */
function causalMask(group: number, tokens: number): np.Array {
  const values = new Float32Array(group * tokens * tokens);
  for (let row = 0; row < group * tokens; row++)
    values.fill(-1e9, row * tokens + (row % tokens) + 1, (row + 1) * tokens);
  return np.array(values, { shape: [1, 1, group * tokens, tokens] });
}

/** What the forward pass of a rectangle keeps: the input of every layer, and of the head. */
interface Kept extends HeadInput {
  inputs: np.Array[];
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

  async #scores(batch: PackedBatch, kept: readonly Kept[]): Promise<RowScores> {
    const logprobs = new Float32Array(batch.rows.length);
    const entropies = new Float32Array(batch.rows.length);
    for (const one of kept)
      await byHeadRows(this.#config, batch, one, async ({ x, targets, inverse, rows }) => {
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
    await byHeadRows(this.#config, batch, kept, async ({ x, targets, inverse, rows }) => {
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
