import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { sourceOf } from '../../policy/checkpoint/tensor-source.ts';
import {
  parameterCount,
  viewWeights,
  type PolicyWeights,
} from '../../policy/checkpoint/weights.ts';
import type { PackedBatch, TrainLimits } from '../../policy/lora/train-batch.ts';
import type { Decoder } from '../../policy/model/decoder.ts';
import { uploadDecoder } from '../../policy/model/upload.ts';
import type { Gradients, TrainableOps } from '../../policy/ops/trainable.ts';
import type { Matrix, Picks, TokenRun, Tokens, Vector } from '../../policy/ops/values.ts';
import { createTrainableWasmOps } from '../../policy/wasm/ops.ts';
import { aligned, TrainedLayers } from './layers.ts';

/** What the weighted tokens of a batch got; both in the order of `batch.rows`. */
export interface TokenLosses {
  /** Negative natural-log probability of each target. */
  nll: Float32Array;
  /** 1 where no token was more probable than the target. */
  right: Uint8Array;
}

/** Sizes must fill SIMD vectors; all parameters are trained. */
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

/** A parameter on the device, and where its values are in views of all of them. */
interface Parameter {
  readonly handle: Matrix | Vector;
  readonly of: (weights: PolicyWeights) => Float32Array | null | undefined;
}

/** Every parameter of a decoder once: a head that is tied is the embedding. */
function parametersOf({ weights, config }: Decoder): Parameter[] {
  const { embed, head, finalNorm } = weights;
  const ofLayers = weights.layers.flatMap((layer, l): Parameter[] => [
    { handle: layer.inputNorm.weight, of: ({ layers }) => layers[l]?.inputNorm },
    { handle: layer.qkv.matrix, of: ({ layers }) => layers[l]?.qkv },
    ...(layer.headNorms
      ? [
          { handle: layer.headNorms.q, of: ({ layers }: PolicyWeights) => layers[l]?.qNorm },
          { handle: layer.headNorms.k, of: ({ layers }: PolicyWeights) => layers[l]?.kNorm },
        ]
      : []),
    { handle: layer.o.matrix, of: ({ layers }) => layers[l]?.o },
    { handle: layer.mlpNorm.weight, of: ({ layers }) => layers[l]?.mlpNorm },
    { handle: layer.gateUp.matrix, of: ({ layers }) => layers[l]?.gateUp },
    { handle: layer.down.matrix, of: ({ layers }) => layers[l]?.down },
  ]);
  return [
    { handle: embed, of: (all) => all.embed },
    ...ofLayers,
    { handle: finalNorm.weight, of: (all) => all.finalNorm },
    ...(config.tieWordEmbeddings
      ? []
      : [{ handle: head, of: ({ head: own }: PolicyWeights) => own }]),
  ];
}

/**
 * Full-parameter training of a Qwen3-shaped decoder over block operations that learn.
 * Activations of one call are kept, so a call holds at most `limits.maxTokens` tokens; gradients add up
 * over calls. Sequences lie end to end: nothing is padded.
 */
export class Trainer {
  readonly limits: TrainLimits;
  readonly #ops: TrainableOps;
  readonly #decoder: Decoder;
  readonly #parameters: readonly Parameter[];
  readonly #layers: TrainedLayers;
  readonly #tokens: Tokens;
  readonly #gradients: Gradients;
  /** What `gradients` gives. */
  readonly #views: PolicyWeights;
  #picks: Picks;

  private constructor(ops: TrainableOps, decoder: Decoder, limits: TrainLimits) {
    this.limits = limits;
    this.#ops = ops;
    this.#decoder = decoder;
    this.#parameters = parametersOf(decoder);
    this.#gradients = ops.learn(...this.#parameters.map(({ handle }) => handle));
    this.#layers = new TrainedLayers(ops, decoder, limits.maxTokens);
    this.#tokens = ops.tokens(limits.maxTokens);
    this.#picks = ops.picks(limits.maxTokens);
    const { config } = decoder;
    this.#views = viewWeights(config, new Float32Array(parameterCount(config)));
    decoder.reach(limits.maxLength);
  }

  /**
   * All weights are zero at first.
   * @param start the operations of a device; the CPU's if absent
   * @throws Error for sizes that are not a multiple of 8; MemoryError, DeviceError
   */
  static async create(
    config: PolicyConfig,
    limits: TrainLimits,
    start: () => Promise<TrainableOps> = createTrainableWasmOps,
  ): Promise<Trainer> {
    checkShape(config);
    const ops = await start();
    const zeros = viewWeights(config, new Float32Array(parameterCount(config)));
    const decoder = await uploadDecoder(ops, sourceOf(zeros), { type: 'f32' });
    return new Trainer(ops, decoder, limits);
  }

  /** All parameters, replaced. */
  setWeights(flat: Float32Array): void {
    const weights = viewWeights(this.#decoder.config, flat);
    for (const { handle, of } of this.#parameters) {
      const values = of(weights);
      if (values) this.#ops.rewrite(handle, values);
    }
  }

  zeroGradients(): void {
    this.#gradients.zero();
  }

  /** Gradient of `Σ weight · nll`, summed over calls since `zeroGradients`; overwritten when next read. */
  async gradients(): Promise<Float32Array> {
    const views = this.#parameters.map(({ of }) => of(this.#views) ?? new Float32Array());
    await this.#gradients.read(views);
    return this.#views.flat;
  }

  /** Forward pass only. */
  evaluate(batch: PackedBatch): Promise<TokenLosses> {
    this.#forward(batch);
    this.#ops.score(this.#head());
    return this.#losses();
  }

  /** Forward and backward; adds to `gradients`. */
  accumulate(batch: PackedBatch): Promise<TokenLosses> {
    this.#forward(batch);
    const { dx } = this.#layers;
    const coefficients = batch.weights;
    this.#ops.scoreAndLearn({ ...this.#head(), tokens: this.#tokens, coefficients, dx });
    this.#layers.backward(this.#tokens);
    return this.#losses();
  }

  #forward(batch: PackedBatch): void {
    const ops = this.#ops;
    ops.place(this.#tokens, this.#runs(batch), 'many');
    this.#layers.forward(this.#tokens);
    const { rows, targets } = batch;
    if (rows.length > this.#picks.rows) {
      ops.free(this.#picks);
      this.#picks = ops.picks(rows.length);
    }
    ops.placePicks(this.#picks, { rows, targets });
  }

  #head() {
    const { finalNorm: norm, head } = this.#decoder.weights;
    return { x: this.#layers.output, norm, head, picks: this.#picks };
  }

  async #losses(): Promise<TokenLosses> {
    const { logprobs, hits } = await this.#ops.readHits(this.#picks);
    return { nll: logprobs.map((logprob) => -logprob), right: hits };
  }

  /** The sequences as runs, each at an aligned place. @throws Error over the limits */
  #runs({ ids, lengths }: PackedBatch): TokenRun[] {
    const { maxTokens, maxLength } = this.limits;
    if (ids.length > maxTokens)
      throw new Error(`batch: ${ids.length} tokens, the limit is ${maxTokens}`);
    const runs: TokenRun[] = [];
    let [token, start] = [0, 0];
    for (const length of lengths) {
      if (length > maxLength)
        throw new Error(`batch: a sequence has ${length} tokens, the limit is ${maxLength}`);
      runs.push({ ids: ids.subarray(token, token + length), position: 0, start });
      token += length;
      start += aligned(length);
    }
    this.#layers.reserve(start);
    return runs;
  }
}
