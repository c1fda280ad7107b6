import type { Gate } from '../checkpoint/config.ts';
import type { RowScores } from '../lora/trainer.ts';
import type { TokenDistribution as Sampling } from '../../records/rollout.ts';
import type {
  Activations,
  Adapter,
  AdapterShape,
  Draws,
  KvMove,
  KvCache,
  Lora,
  Matrix,
  MatrixShape,
  MatrixWriter,
  Picks,
  Rotary,
  StoreType,
  TokenRun,
  Tokens,
  Vector,
} from './values.ts';

/**
 * The block operations of a decoder: what `policy/model` is written in, once for every device. An
 * operation is as large as a fused kernel. Calls are made in order; a device may only take them down and
 * work later, so that values exist for the host when a `read…` resolves.
 *
 * Shapes: `rows` are those of the tokens that were placed last, d = hidden size, H query heads, G key
 * heads, D = head size, M = intermediate size. Activations are float32 on every device; weights are what
 * `MatrixType` says, and every product is the one with the dequantised float32 values.
 *
 * A row's numbers depend on nothing but its own context: not on the other rows of a call, nor on how
 * many there are. (They may depend, in the last bits, on whether a call is for `few` rows or `many`.)
 */
export interface Ops {
  readonly device: 'oracle' | 'wasm' | 'webgpu';
  /** Resolves with the reason when the device is taken away, where that can happen. */
  readonly lost?: Promise<string>;
  /** Bytes of everything that was made and not freed. */
  readonly bytes: number;

  // What there is ------------------------------------------------------------------------------------

  /** Uninitialised; rows beyond those of a call hold anything. */
  activations(rows: number, width: number, label: string): Activations;
  vector(values: Float32Array, label: string): Vector;
  /** @throws MemoryError (a device may say so later, from `settled`) */
  matrix(shape: MatrixShape, label: string): MatrixWriter;
  /** Tables [positions, D/2] of cosines and sines of a pair's angle. */
  rotary(cos: Float32Array, sin: Float32Array, pairs: number): Rotary;
  kvCache(
    shape: { positions: number; kvHeads: number; headDim: number; type: StoreType },
    label: string,
  ): KvCache;
  tokens(rows: number): Tokens;
  picks(rows: number): Picks;
  draws(rows: number): Draws;
  /** All factors zero. */
  adapter(shapes: readonly AdapterShape[], trained: boolean): Adapter;
  free(...handles: readonly Handle[]): void;
  /**
   * What `make` makes, once it is certain that the device has the memory; present where a device says later that
   * it has not. What a failed attempt made is freed, and everything else continues.
   * @throws MemoryError
   */
  attempt?<T>(make: () => T): Promise<T>;
  /**
   * Makes the working memory that the operations of `work` share, of which none is run, once it is certain that the
   * device has it; present where `attempt` is.
   * @throws MemoryError; everything is then as it was
   */
  reserve?(work: () => void): Promise<void>;

  // Tokens, keys and values --------------------------------------------------------------------------

  /**
   * Says what the rows are, run after run. `few`: decode steps, at most 64 runs of one token each;
   * `many`: text that is read or learned.
   */
  place(tokens: Tokens, runs: readonly TokenRun[], size: 'few' | 'many'): void;
  /** Copies positions [from, from + count) of each store to `to`. `count` is rounded up to a multiple of 8. */
  copyKeys(stores: readonly KvCache[], moves: readonly KvMove[], target?: readonly KvCache[]): void;

  // Forward ------------------------------------------------------------------------------------------

  /**
   * x[r] = scale · table[id of r]
   * @param o.scale 1 where absent
   * @param o.next the norm that reads x next, if that is known: a device may then save a pass over x
   */
  embed(o: { table: Matrix; tokens: Tokens; x: Activations; scale?: number; next?: Norm }): void;

  /**
   * [q | k | v] = W rms(x) + b, heads of q and k normed (`qNorm`) and turned (RoPE) by the row's
   * position; q [rows, H D] is divided by √D; k and v go into the store at the rows' places.
   * @param o.raw [rows, (H + 2G) D]: where wanted, q, k, v before norms and turning, for the backward pass
   */
  projectHeads(o: HeadsInput & { q: Activations; raw?: Activations }): void;

  /**
   * out[r] = softmax(q · K) V over positions 0 … position of r of the row's context, with a window over the last
   * `window` of them, head by head; key head g serves H / G neighbouring query heads.
   * @param o.lse [rows, H]: where wanted, the logarithm of each softmax's sum
   */
  attend(o: AttentionInput & { out: Activations; lse?: Activations }): void;

  /**
   * x[r] += W input[r] + b, or with an output norm x[r] += rms(W input[r] + b): the output projection of attention,
   * and `down`.
   * @param o.next as for `embed`
   */
  projectResidual(o: ResidualInput & { x: Activations; next?: Norm }): void;

  /**
   * out = silu(gate) · up, or gelu(gate) · up, with [gate | up] = W rms(x) + b.
   * @param o.raw [rows, 2M]: where wanted, gate and up themselves
   */
  feedForward(o: FeedForwardInput & { out: Activations; raw?: Activations }): void;

  /** The first `rows` rows [rows, width], once all that was called is done. */
  readActivations(from: Activations, rows: number): Promise<Float32Array>;

  /** to[r] = from[r] */
  copyRows(o: { from: Activations; to: Activations; tokens: Tokens }): void;

  // Head ---------------------------------------------------------------------------------------------

  /** Draws the next token of every picked row: `placeDraws` first, `readDraws` after it. */
  sample(o: HeadInput & { draws: Draws }): void;
  placeDraws(draws: Draws, wanted: readonly Draw[]): void;
  readDraws(draws: Draws): Promise<Drawn[]>;

  /** Log-probability and entropy of picked rows: `placePicks` first, `readScores` after it. */
  score(o: HeadInput & { picks: Picks }): void;
  /** Row, next token and temperature of every row that is scored. */
  placePicks(
    picks: Picks,
    rows: { rows: ArrayLike<number>; targets: ArrayLike<number>; temperatures?: ArrayLike<number> },
  ): void;
  readScores(picks: Picks): Promise<RowScores>;
  /**
   * dx = ∂/∂x of Σ c (−log-probability) over the picked rows, c being `coefficients`; 0 in other rows. Behind
   * `score` of the same picks and x.
   */
  scoreBackward(
    o: HeadInput & { picks: Picks; tokens: Tokens; coefficients: Float32Array; dx: Activations },
  ): void;
  /** Logits [picked rows, vocabulary] at temperature 1. For tests and comparisons. */
  readLogits(o: HeadInput & { picks: Picks }): Promise<Float32Array>;

  // Backward -----------------------------------------------------------------------------------------
  // Each adds to the gradients of the LoRA factors that its projection has. A device that needs another
  // layout of a matrix for it makes that when it is first wanted.

  /**
   * dInput = Wᵀ dx, with the adapter's part; x passes dx on unchanged. An output norm computes what it normed again:
   * that takes less than room for it in every layer.
   */
  projectResidualBackward(o: ResidualInput & { dx: Activations; dInput: Activations }): void;
  /** dx += gradient through gate, product and norm. `raw` as the forward pass left it; it is overwritten. */
  feedForwardBackward(
    o: FeedForwardInput & { raw: Activations; dOut: Activations; dx: Activations },
  ): void;
  /**
   * Gradients of q [rows, H D] (undivided by √D: of the q that `attend` was given) and of the rows' keys
   * and values, dKeys and dValues [rows, G D]. Every context's rows must all be among the tokens.
   */
  attendBackward(
    o: AttentionInput & {
      out: Activations;
      lse: Activations;
      dOut: Activations;
      dq: Activations;
      dKeys: Activations;
      dValues: Activations;
    },
  ): void;
  /** dx += gradient through turning, norms and product; null where nothing below learns. */
  projectHeadsBackward(
    o: HeadsInput & {
      raw: Activations;
      dq: Activations;
      dKeys: Activations;
      dValues: Activations;
      dx: Activations | null;
    },
  ): void;

  // Adapters -----------------------------------------------------------------------------------------

  /** Values in the order of the shapes, of each its parts, of each A [rank, in], then B [out, rank]. */
  writeAdapter(adapter: Adapter, values: Float32Array): void;
  /** @throws Error for one that is not trained */
  zeroGradients(adapter: Adapter): void;
  /** In the order of `writeAdapter`. @throws Error for one that is not trained */
  readGradients(adapter: Adapter): Promise<Float32Array>;

  // Work ---------------------------------------------------------------------------------------------

  /** Hands everything that was called so far to the device; what is read does so by itself. */
  submit(): void;
  /** When all of it is done. @throws DeviceError that says what failed and what to do */
  settled(): Promise<void>;
  /** Compiles what the calls of `work` need, without running it, where a device compiles. */
  warmUp?(work: () => void, onProgress?: (done: number, all: number) => void): Promise<void>;
  /** Runs `work` with a clock at each kernel, in the order in which they ran; absent where the device has none. */
  kernelTimes?(work: () => Promise<void>): Promise<KernelTime[]>;
  dispose(): void;
}

export interface KernelTime {
  readonly kernel: string;
  readonly seconds: number;
}

export type Handle =
  | Activations
  | Vector
  | Matrix
  | Rotary
  | KvCache
  | Tokens
  | Picks
  | Draws
  | Adapter;

/** y = W x + b + scale · B (A x), the last term for each adapted part of W's rows. */
export interface Projection {
  readonly matrix: Matrix;
  readonly bias: Vector | null;
  readonly lora: Lora | null;
}

export interface Norm {
  /** [d] */
  readonly weight: Vector;
  readonly eps: number;
}

export interface HeadsInput {
  readonly x: Activations;
  readonly norm: Norm;
  readonly by: Projection;
  /** Weights [D] of the norms of each head of q and k; null in families without them. */
  readonly headNorms: { readonly q: Vector; readonly k: Vector; readonly eps: number } | null;
  /** Null in layers that turn nothing. */
  readonly rotary: Rotary | null;
  readonly heads: number;
  readonly tokens: Tokens;
  readonly store: KvCache;
}

export interface AttentionInput {
  readonly q: Activations;
  readonly heads: number;
  readonly store: KvCache;
  readonly tokens: Tokens;
  /** Most positions that a row attends to, its own included; absent: all. */
  readonly window?: number | undefined;
}

export interface ResidualInput {
  readonly input: Activations;
  readonly by: Projection;
  /** Of what the projection gives, before it is added; its weights do not learn. */
  readonly outputNorm?: Norm | null;
  readonly tokens: Tokens;
}

export interface FeedForwardInput {
  readonly x: Activations;
  readonly norm: Norm;
  readonly by: Projection;
  /** Absent: silu. */
  readonly gate?: Gate;
  readonly tokens: Tokens;
}

export interface HeadInput {
  readonly x: Activations;
  readonly norm: Norm;
  /** [vocabulary, d] */
  readonly head: Matrix;
}

/** One token to draw. */
export interface Draw {
  /** Row of x whose next token it is. */
  readonly row: number;
  /** Random number of the draw: `uniform(seed, counter)`. */
  readonly seed: number;
  readonly counter: number;
  readonly sampling: Sampling;
}

export interface Drawn {
  readonly id: number;
  /** Natural-log probability under the distribution that it was drawn from (greedy: the model's). */
  readonly logprob: number;
  /** The same under softmax(logits). */
  readonly modelLogprob: number;
  /** Entropies of the two, nats. */
  readonly entropy: number;
  readonly modelEntropy: number;
  /** Whether all logits were finite; what else is said means nothing if not. */
  readonly finite: boolean;
}
