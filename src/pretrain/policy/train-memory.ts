import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { KernelMemory, type Kernels, type Region } from '../../policy/kernels/kernels.ts';
import { ropeTables } from '../../policy/checkpoint/rope.ts';
import {
  parameterCount,
  viewWeights,
  type PolicyWeights,
} from '../../policy/checkpoint/weights.ts';

/** Byte offsets of what one layer keeps for its backward pass; N tokens. */
export interface LayerMemory {
  /** Residual stream before the layer [N, hidden] and between attention and MLP [N, hidden]. */
  input: number;
  middle: number;
  inputInverse: number;
  middleInverse: number;
  /** [N, (heads + 2 kvHeads) headDim] */
  qkv: number;
  headInverse: number;
  /** Head-major [heads, N, headDim]. */
  q: number;
  k: number;
  v: number;
  /** [N, heads headDim], and the log-sum-exp of each score row [heads, N]. */
  attention: number;
  lse: number;
  /** [N, 2 intermediate] and [N, intermediate]. */
  gateUp: number;
  activated: number;
}

/** A matrix in the two layouts of the matrix kernel: for x Wᵀ and for g W. */
export interface PackedMatrix {
  /** Byte offsets of the matrix and its gradient, [out, in]. */
  weight: number;
  gradient: number;
  out: number;
  in: number;
  forward: number;
  backward: number;
}

export interface LayerMatrices {
  qkv: PackedMatrix;
  o: PackedMatrix;
  gateUp: PackedMatrix;
  down: PackedMatrix;
}

/** Rows of logits that exist at one time. */
export const HEAD_ROWS = 192;

/** Sizes must fill SIMD vectors and the matrix kernel's column tile; all parameters are trained. */
function checkShape(c: PolicyConfig): void {
  if (c.variant)
    throw new Error(
      `training of all parameters is for the plain Qwen3 shape; a ${c.variant.family} decoder trains by LoRA`,
    );
  const sizes = {
    hidden_size: c.hiddenSize,
    head_dim: c.headDim,
    intermediate_size: c.intermediateSize,
    vocab_size: c.vocabSize,
  };
  for (const [name, size] of Object.entries(sizes))
    if (size % 8 !== 0)
      throw new Error(`training needs ${name} to be a multiple of 8, got ${size}`);
}

/** All buffers of training one shape, laid out once in the memory of the kernels. */
export class TrainMemory {
  readonly kernels: Kernels;
  readonly weights: PolicyWeights;
  readonly gradients: PolicyWeights;
  readonly #memory: KernelMemory;
  readonly #plan: MemoryPlan;

  private constructor(memory: KernelMemory, kernels: Kernels, plan: MemoryPlan) {
    this.#memory = memory;
    this.#plan = plan;
    this.kernels = kernels;
    this.weights = viewWeights(plan.config, memory.floats(plan.weights));
    this.gradients = viewWeights(plan.config, memory.floats(plan.gradients));
  }

  static async create(
    config: PolicyConfig,
    limits: TrainLimits,
    relaxed?: boolean,
  ): Promise<TrainMemory> {
    checkShape(config);
    const memory = new KernelMemory();
    const plan = new MemoryPlan(memory, config, limits);
    const kernels = await memory.start(relaxed);
    const { cos, sin } = ropeTables(limits.maxLength, config.headDim, config.ropeTheta);
    memory.floats(plan.cos).set(cos);
    memory.floats(plan.sin).set(sin);
    return new TrainMemory(memory, kernels, plan);
  }

  get plan(): MemoryPlan {
    return this.#plan;
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
}

/** Where everything lies. Pointers into weights and gradients follow `weights.ts`. */
export class MemoryPlan {
  readonly config: PolicyConfig;
  readonly limits: TrainLimits;
  readonly weights: Region;
  readonly gradients: Region;
  readonly matrices: readonly LayerMatrices[];
  readonly head: PackedMatrix;
  readonly layers: readonly LayerMemory[];
  readonly cos: Region;
  readonly sin: Region;
  readonly ids: Region;
  readonly positions: Region;
  readonly rows: Region;
  readonly targets: Region;
  readonly targetWeights: Region;
  readonly nll: Region;
  readonly best: Region;
  /** Residual stream after the last layer; [N, hidden] like the four that follow. */
  readonly output: Region;
  readonly normed: Region;
  readonly dResidual: Region;
  readonly dNormed: Region;
  /** Rows that predict a weighted token: [targets, hidden]. */
  readonly picked: Region;
  readonly pickedNormed: Region;
  readonly pickedInverse: Region;
  readonly dPicked: Region;
  readonly logits: Region;
  readonly dActivated: Region;
  readonly dAttention: Region;
  readonly dQkv: Region;
  readonly dq: Region;
  readonly dk: Region;
  readonly dv: Region;
  readonly row: Region;
  readonly attentionScratch: Region;
  readonly transposedScratch: Region;

  constructor(memory: KernelMemory, c: PolicyConfig, limits: TrainLimits) {
    const N = limits.maxTokens;
    const plan = (length: number): Region => memory.plan(length);
    const [d, queries, keys] = [c.hiddenSize, c.heads * c.headDim, c.kvHeads * c.headDim];
    const total = parameterCount(c);
    this.config = c;
    this.limits = limits;
    this.weights = plan(total);
    this.gradients = plan(total);
    // A throwaway view gives each matrix its offset in the flat buffer.
    const view = viewWeights(c, new Float32Array(total));
    const matrix = (values: Float32Array, out: number, input: number): PackedMatrix => ({
      weight: this.weights.pointer + values.byteOffset,
      gradient: this.gradients.pointer + values.byteOffset,
      out,
      in: input,
      forward: plan(out * input).pointer,
      backward: plan(out * input).pointer,
    });
    this.matrices = view.layers.map((layer) => ({
      qkv: matrix(layer.qkv, queries + 2 * keys, d),
      o: matrix(layer.o, d, queries),
      gateUp: matrix(layer.gateUp, 2 * c.intermediateSize, d),
      down: matrix(layer.down, d, c.intermediateSize),
    }));
    this.head = matrix(view.head, c.vocabSize, d);
    this.layers = view.layers.map(() => ({
      input: plan(N * d).pointer,
      middle: plan(N * d).pointer,
      inputInverse: plan(N).pointer,
      middleInverse: plan(N).pointer,
      qkv: plan(N * (queries + 2 * keys)).pointer,
      headInverse: plan(N * (c.heads + c.kvHeads)).pointer,
      q: plan(N * queries).pointer,
      k: plan(N * keys).pointer,
      v: plan(N * keys).pointer,
      attention: plan(N * queries).pointer,
      lse: plan(N * c.heads).pointer,
      gateUp: plan(N * 2 * c.intermediateSize).pointer,
      activated: plan(N * c.intermediateSize).pointer,
    }));
    this.cos = plan((limits.maxLength * c.headDim) / 2);
    this.sin = plan((limits.maxLength * c.headDim) / 2);
    [this.ids, this.positions, this.rows, this.targets] = [plan(N), plan(N), plan(N), plan(N)];
    [this.targetWeights, this.nll, this.best, this.pickedInverse] = [
      plan(N),
      plan(N),
      plan(N),
      plan(N),
    ];
    [this.output, this.normed, this.dResidual] = [plan(N * d), plan(N * d), plan(N * d)];
    [this.dNormed, this.picked, this.pickedNormed] = [plan(N * d), plan(N * d), plan(N * d)];
    this.dPicked = plan(N * d);
    this.logits = plan(HEAD_ROWS * c.vocabSize);
    this.dActivated = plan(N * c.intermediateSize);
    this.dAttention = plan(N * queries);
    this.dQkv = plan(N * (queries + 2 * keys));
    [this.dq, this.dk, this.dv] = [plan(N * queries), plan(N * keys), plan(N * keys)];
    this.row = plan(c.headDim);
    this.attentionScratch = plan((72 + 3 * c.headDim) * (limits.maxLength + 8));
    const widest = Math.max(c.vocabSize, 2 * c.intermediateSize, queries + 2 * keys) + d;
    this.transposedScratch = plan((widest + c.intermediateSize + queries + 16) * 128);
  }
}
