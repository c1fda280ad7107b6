import { variantOf, type PolicyConfig } from '../../checkpoint/config.ts';
import { KernelMemory, type Kernels, type Region } from '../../kernels/kernels.ts';
import { ropeTables } from '../../checkpoint/rope.ts';
import type { TrainLimits } from '../train-batch.ts';
import {
  parameterCount,
  viewWeights,
  type LayerWeights,
  type PolicyWeights,
} from '../../checkpoint/weights.ts';
import { checkSpec } from '../check.ts';
import { loraSlots, type LoraSlot, type LoraSpec, type LoraTarget } from '../spec.ts';

/** Rows of logits that exist at one time. */
export const HEAD_ROWS = 192;
/** Columns of the matrix kernel's tile; ranks are filled up with zeros to a multiple of it. */
const PANEL = 8;

/** One adapted part of a fused matrix: rows `row` to `row + out` of it. R is the padded rank. */
export interface AdapterPart {
  readonly a: LoraSlot;
  readonly b: LoraSlot;
  readonly row: number;
  readonly out: number;
  /** First of its R columns in the fused matrix's inner activations. */
  readonly column: number;
  /** A [R, in] and (alpha / rank) B [out, R], their gradients, and both in the kernel's layouts. */
  readonly A: Region;
  readonly B: Region;
  readonly dA: Region;
  readonly dB: Region;
  readonly aForward: number;
  readonly aBackward: number;
  readonly bForward: number;
  readonly bBackward: number;
}

/** A frozen matrix [out, in] in both layouts, and what is adapted of it. */
export interface AdaptedMatrix {
  readonly weight: number;
  readonly out: number;
  readonly in: number;
  readonly forward: number;
  readonly backward: number;
  readonly parts: readonly AdapterPart[];
  /** Inner activations A x of all parts, [N, columns]. */
  readonly inner: number;
  readonly columns: number;
  /** [out], or null. */
  readonly bias: Region | null;
}

/** What turns queries and keys, and what weights them before. */
export interface HeadInputs {
  readonly cos: number;
  readonly sin: number;
  readonly qNorm: number;
  readonly kNorm: number;
  readonly eps: number;
}

/**
 * In a family without QK-norm: RMSNorm with epsilon 2^100 and weight 2^50 is the identity in float32,
 * bit for bit, as long as a mean square is below 2^75. Its gradient is the identity too: the share of
 * the mean is 2^-100 of the rest.
 */
const IDENTITY_NORM = { eps: 2 ** 100, weight: 2 ** 50 };

export interface AdaptedLayer {
  readonly weights: LayerWeights;
  readonly qkv: AdaptedMatrix;
  readonly o: AdaptedMatrix;
  readonly gateUp: AdaptedMatrix;
  readonly down: AdaptedMatrix;
  /** The residual stream before the layer [N, hidden]: all that a layer keeps. */
  readonly input: number;
}

function checkShape(c: PolicyConfig): void {
  const sizes = {
    hidden_size: c.hiddenSize,
    head_dim: c.headDim,
    intermediate_size: c.intermediateSize,
    vocab_size: c.vocabSize,
  };
  for (const [name, size] of Object.entries(sizes))
    if (size % PANEL !== 0)
      throw new Error(`LoRA training needs ${name} to be a multiple of ${PANEL}, got ${size}`);
}

/** Buffers that one layer at a time uses: activations for its backward pass and their gradients. */
function planScratch(
  plan: (length: number) => Region,
  c: PolicyConfig,
  limits: TrainLimits,
  rank: number,
) {
  const N = limits.maxTokens;
  const [d, queries, keys] = [c.hiddenSize, c.heads * c.headDim, c.kvHeads * c.headDim];
  const widest = Math.max(2 * c.intermediateSize, queries + 2 * keys, d, rank);
  return {
    middle: plan(N * d),
    inputInverse: plan(N),
    middleInverse: plan(N),
    qkv: plan(N * (queries + 2 * keys)),
    headInverse: plan(N * (c.heads + c.kvHeads)),
    q: plan(N * queries),
    k: plan(N * keys),
    v: plan(N * keys),
    attention: plan(N * queries),
    lse: plan(N * c.heads),
    gateUp: plan(N * 2 * c.intermediateSize),
    activated: plan(N * c.intermediateSize),
    normed: plan(N * d),
    output: plan(N * d),
    dResidual: plan(N * d),
    dNormed: plan(N * d),
    dActivated: plan(N * c.intermediateSize),
    dAttention: plan(N * queries),
    dQkv: plan(N * (queries + 2 * keys)),
    dq: plan(N * queries),
    dk: plan(N * keys),
    dv: plan(N * keys),
    /** Gradients of frozen norms, never read. */
    unused: plan(Math.max(d, c.headDim)),
    row: plan(c.headDim),
    attentionScratch: plan((72 + 3 * c.headDim) * (limits.maxLength + 8)),
    transposedScratch: plan((2 * widest + 64) * 128),
  };
}

/** What enters and leaves: the batch, its rows, and a chunk of logits. */
function planBatch(plan: (length: number) => Region, c: PolicyConfig, limits: TrainLimits) {
  const N = limits.maxTokens;
  const d = c.hiddenSize;
  return {
    cos: plan((limits.maxLength * c.headDim) / 2),
    sin: plan((limits.maxLength * c.headDim) / 2),
    /** Turning by no angle. */
    stillCos: plan((limits.maxLength * c.headDim) / 2),
    stillSin: plan((limits.maxLength * c.headDim) / 2),
    identityNorm: plan(c.headDim),
    ids: plan(N),
    positions: plan(N),
    rows: plan(N),
    targets: plan(N),
    coefficients: plan(N),
    nll: plan(N),
    entropy: plan(N),
    best: plan(N),
    picked: plan(N * d),
    pickedNormed: plan(N * d),
    pickedInverse: plan(N),
    dPicked: plan(N * d),
    logits: plan(HEAD_ROWS * c.vocabSize),
  };
}

type Planned = (length: number) => Region;

/**
 * All buffers of LoRA training, laid out once in the kernels' memory. Beside weights and adapter, a
 * layer costs one [tokens, hidden] tensor; everything else is shared by all layers.
 */
export class LoraMemory {
  readonly config: PolicyConfig;
  readonly spec: LoraSpec;
  readonly limits: TrainLimits;
  readonly slots: readonly LoraSlot[];
  readonly layers: readonly AdaptedLayer[];
  readonly head: AdaptedMatrix;
  readonly scratch: ReturnType<typeof planScratch>;
  readonly batch: ReturnType<typeof planBatch>;
  readonly weights: PolicyWeights;
  readonly kernels: Kernels;
  readonly #memory: KernelMemory;

  /** @throws Error for sizes that are no multiple of 8; RangeError for a spec at fault or without memory. */
  static async create(
    base: PolicyWeights,
    spec: LoraSpec,
    limits: TrainLimits,
    relaxed?: boolean,
  ): Promise<LoraMemory> {
    checkShape(base.config);
    checkSpec(spec);
    const memory = new KernelMemory();
    const layout = new Layout(memory, base.config, spec, limits);
    const kernels = await memory.start(relaxed);
    return new LoraMemory(memory, kernels, layout, base);
  }

  private constructor(memory: KernelMemory, kernels: Kernels, layout: Layout, base: PolicyWeights) {
    this.#memory = memory;
    this.kernels = kernels;
    this.config = layout.config;
    this.spec = layout.spec;
    this.limits = layout.limits;
    this.slots = layout.slots;
    this.scratch = layout.scratch;
    this.batch = layout.batch;
    this.weights = viewWeights(this.config, memory.floats(layout.weights));
    this.weights.flat.set(base.flat);
    this.head = layout.head;
    this.layers = layout.layers.map((layer, i) => ({ ...layer, weights: this.weights.layers[i]! }));
    const { cos, sin } = ropeTables(
      this.limits.maxLength,
      this.config.headDim,
      this.config.ropeTheta,
      variantOf(this.config).rope,
    );
    memory.floats(this.batch.stillCos).fill(1);
    memory.floats(this.batch.identityNorm).fill(IDENTITY_NORM.weight);
    memory.floats(this.batch.cos).set(cos);
    memory.floats(this.batch.sin).set(sin);
    for (const m of this.matrices()) {
      kernels.pack_transposed(m.weight, m.in, m.in, m.out, m.forward);
      kernels.pack(m.weight, m.in, m.out, m.in, m.backward);
    }
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  floats(region: Region): Float32Array<ArrayBuffer> {
    return this.#memory.floats(region);
  }

  integers(region: Region): Int32Array<ArrayBuffer> {
    return this.#memory.integers(region);
  }

  /** What layer `layer` does to queries and keys. */
  heads(layer: number): HeadInputs {
    const { cos, sin, stillCos, stillSin, identityNorm } = this.batch;
    const still = variantOf(this.config).unturnedLayers.includes(layer);
    const { qNorm, kNorm } = this.weights.layers[layer]!;
    return {
      cos: (still ? stillCos : cos).pointer,
      sin: (still ? stillSin : sin).pointer,
      qNorm: qNorm?.byteOffset ?? identityNorm.pointer,
      kNorm: kNorm?.byteOffset ?? identityNorm.pointer,
      eps: qNorm ? this.config.rmsNormEps : IDENTITY_NORM.eps,
    };
  }

  /** The head and every matrix of every layer. */
  matrices(): AdaptedMatrix[] {
    return [
      this.head,
      ...this.layers.flatMap(({ qkv, o, gateUp, down }) => [qkv, o, gateUp, down]),
    ];
  }

  parts(): { part: AdapterPart; in: number }[] {
    return this.matrices().flatMap((m) => m.parts.map((part) => ({ part, in: m.in })));
  }
}

/** Where everything lies, before the memory exists. */
class Layout {
  readonly config: PolicyConfig;
  readonly spec: LoraSpec;
  readonly limits: TrainLimits;
  readonly slots: readonly LoraSlot[];
  readonly weights: Region;
  readonly layers: readonly Omit<AdaptedLayer, 'weights'>[];
  readonly head: AdaptedMatrix;
  readonly scratch: ReturnType<typeof planScratch>;
  readonly batch: ReturnType<typeof planBatch>;
  readonly #plan: Planned;
  readonly #rank: number;

  constructor(memory: KernelMemory, c: PolicyConfig, spec: LoraSpec, limits: TrainLimits) {
    this.config = c;
    this.spec = spec;
    this.limits = limits;
    this.slots = loraSlots(c, spec);
    this.#plan = (length) => memory.plan(length);
    this.#rank = Math.ceil(spec.rank / PANEL) * PANEL;
    const total = parameterCount(c);
    this.weights = this.#plan(total);
    this.scratch = planScratch(this.#plan, c, limits, this.#rank);
    this.batch = planBatch(this.#plan, c, limits);
    // A throwaway view gives each matrix its offset in the flat buffer.
    const view = viewWeights(c, new Float32Array(total));
    this.head = this.#matrix(view.head, null, c.vocabSize, c.hiddenSize, [], 0, 0);
    // Inner activations are needed only while their layer runs, so layers share them.
    const inner = [0, 1, 2, 3].map(() => this.#plan(limits.maxTokens * 3 * this.#rank).pointer);
    this.layers = view.layers.map((layer, i) => this.#layer(layer, i, inner));
  }

  #layer(
    view: LayerWeights,
    layer: number,
    inner: readonly number[],
  ): Omit<AdaptedLayer, 'weights'> {
    const c = this.config;
    const [d, queries, keys] = [c.hiddenSize, c.heads * c.headDim, c.kvHeads * c.headDim];
    const m = c.intermediateSize;
    const matrix = (
      place: number,
      values: Float32Array,
      bias: Float32Array | null,
      out: number,
      input: number,
      rows: readonly [LoraTarget, number, number][],
    ): AdaptedMatrix => this.#matrix(values, bias, out, input, rows, layer, inner[place]!);
    return {
      qkv: matrix(0, view.qkv, view.qkvBias, queries + 2 * keys, d, [
        ['q_proj', 0, queries],
        ['k_proj', queries, keys],
        ['v_proj', queries + keys, keys],
      ]),
      o: matrix(1, view.o, view.oBias, d, queries, [['o_proj', 0, d]]),
      gateUp: matrix(2, view.gateUp, view.gateUpBias, 2 * m, d, [
        ['gate_proj', 0, m],
        ['up_proj', m, m],
      ]),
      down: matrix(3, view.down, view.downBias, d, m, [['down_proj', 0, d]]),
      input: this.#plan(this.limits.maxTokens * d).pointer,
    };
  }

  #matrix(
    values: Float32Array,
    bias: Float32Array | null,
    out: number,
    input: number,
    rows: readonly [target: LoraTarget, row: number, out: number][],
    layer: number,
    inner: number,
  ): AdaptedMatrix {
    const R = this.#rank;
    const adapted = rows.filter(([target]) => this.spec.targets.includes(target));
    return {
      weight: this.weights.pointer + values.byteOffset,
      out,
      in: input,
      forward: this.#plan(out * input).pointer,
      backward: this.#plan(out * input).pointer,
      parts: adapted.map(([target, row, height], i) =>
        this.#part(layer, target, row, height, input, i * R),
      ),
      inner,
      columns: adapted.length * R,
      bias: bias && { pointer: this.weights.pointer + bias.byteOffset, length: bias.length },
    };
  }

  #part(
    layer: number,
    target: LoraTarget,
    row: number,
    out: number,
    input: number,
    column: number,
  ): AdapterPart {
    const R = this.#rank;
    const factor = (name: 'A' | 'B'): LoraSlot =>
      this.slots.find((s) => s.layer === layer && s.target === target && s.factor === name)!;
    return {
      a: factor('A'),
      b: factor('B'),
      row,
      out,
      column,
      A: this.#plan(R * input),
      B: this.#plan(out * R),
      dA: this.#plan(R * input),
      dB: this.#plan(out * R),
      aForward: this.#plan(R * input).pointer,
      aBackward: this.#plan(R * input).pointer,
      bForward: this.#plan(out * R).pointer,
      bBackward: this.#plan(out * R).pointer,
    };
  }
}

/**
 * Bytes that a trainer of these sizes will hold, without making one.
 * @throws as `LoraMemory.create`
 */
export function plannedBytes(config: PolicyConfig, spec: LoraSpec, limits: TrainLimits): number {
  checkShape(config);
  checkSpec(spec);
  const memory = new KernelMemory();
  // Laying out is what counts the bytes; nothing is allocated.
  void new Layout(memory, config, spec, limits);
  return memory.bytes;
}
