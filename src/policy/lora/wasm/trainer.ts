import type { Region } from '../../kernels/kernels.ts';
import type { PackedBatch } from '../train-batch.ts';
import type { TrainLimits } from '../train-batch.ts';
import type { PolicyWeights } from '../../checkpoint/weights.ts';
import type { LoraSpec } from '../spec.ts';
import type { LoraTrainer, RowScores } from '../trainer.ts';
import { placeAdapter, readGradients, zeroGradients } from './adapter.ts';
import { layerBackward, layerForward } from './layer.ts';
import { HEAD_ROWS, LoraMemory } from './memory.ts';

const PANEL = 8;

/**
 * LoRA training on the CPU, over the SIMD kernels. The base is frozen, so no gradient of it is
 * computed. Of a layer only its input is kept; the backward pass computes the rest again, layer by
 * layer. Results depend on the batch and the adapter alone, bit for bit.
 */
class WasmLoraTrainer implements LoraTrainer {
  readonly maxTokens: number;
  readonly #memory: LoraMemory;
  /** `none` before the first `setAdapter`. */
  #adapter: 'none' | 'off' | 'on' = 'none';

  constructor(memory: LoraMemory) {
    this.#memory = memory;
    this.maxTokens = memory.limits.maxTokens;
    this.zeroGradients();
  }

  get bytes(): number {
    return this.#memory.bytes;
  }

  async setAdapter(flat: Float32Array | null): Promise<void> {
    const last = this.#memory.slots.at(-1)!;
    if (flat !== null && flat.length !== last.offset + last.length)
      throw new Error(
        `adapter: ${flat.length} values given, this shape has ${last.offset + last.length}`,
      );
    if (flat !== null) placeAdapter(this.#memory, flat);
    this.#adapter = flat === null ? 'off' : 'on';
  }

  async score(batch: PackedBatch): Promise<RowScores> {
    this.#forward(batch);
    return this.#scores(batch);
  }

  async accumulate(
    batch: PackedBatch,
    weigh: (scores: RowScores) => Float32Array,
  ): Promise<RowScores> {
    if (this.#adapter !== 'on')
      throw new Error('adapter: it is switched off; there is no gradient');
    this.#forward(batch);
    const scores = this.#scores(batch);
    const coefficients = weigh(scores);
    if (coefficients.length !== batch.rows.length)
      throw new Error('batch: the loss must give one coefficient a row');
    this.#headBackward(batch, coefficients);
    for (let layer = this.#memory.config.layers - 1; layer >= 0; layer--)
      layerBackward(this.#memory, batch, layer);
    return scores;
  }

  zeroGradients(): void {
    zeroGradients(this.#memory);
  }

  async gradients(): Promise<Float32Array> {
    return readGradients(this.#memory);
  }

  /** The memory goes with the object; WebAssembly has no way to give it back earlier. */
  dispose(): void {
    this.#adapter = 'none';
  }

  #place(batch: PackedBatch): void {
    const { batch: io, limits } = this.#memory;
    if (batch.ids.length > limits.maxTokens)
      throw new Error(`batch: ${batch.ids.length} tokens, the limit is ${limits.maxTokens}`);
    this.#memory.integers(io.ids).set(batch.ids);
    this.#memory.integers(io.rows).set(batch.rows);
    this.#memory.integers(io.targets).set(batch.targets);
    const positions = this.#memory.integers(io.positions);
    let at = 0;
    for (const length of batch.lengths) {
      if (length > limits.maxLength)
        throw new Error(`batch: a sequence has ${length} tokens, the limit is ${limits.maxLength}`);
      for (let i = 0; i < length; i++) positions[at++] = i;
    }
  }

  /**
   * Divides rows of hidden states, or of their gradient, by the temperatures of the batch. The output
   * layer has no bias, so that its logits are divided with them.
   */
  #temper({ temperatures, rows }: PackedBatch, region: Region): void {
    if (!temperatures) return;
    const { hiddenSize: d } = this.#memory.config;
    const values = this.#memory.floats(region);
    for (let row = 0; row < rows.length; row++) {
      const inverse = 1 / temperatures[row]!;
      for (let i = row * d; i < (row + 1) * d; i++) values[i]! *= inverse;
    }
  }

  /**
   * All layers, then the rows that predict a weighted token, normed and divided by their temperatures
   * into `pickedNormed`.
   */
  #forward(batch: PackedBatch): void {
    const memory = this.#memory;
    const { kernels, config, weights, batch: io } = memory;
    const { hiddenSize: d, rmsNormEps } = config;
    this.#place(batch);
    const first = memory.layers[0]!.input;
    kernels.gather(weights.embed.byteOffset, io.ids.pointer, first, batch.ids.length, d);
    for (let layer = 0; layer < config.layers; layer++)
      layerForward(memory, batch, layer, this.#adapter === 'on');
    const rows = batch.rows.length;
    kernels.gather(memory.scratch.output.pointer, io.rows.pointer, io.picked.pointer, rows, d);
    // prettier-ignore
    kernels.rms_norm(
      io.picked.pointer, weights.finalNorm.byteOffset, io.pickedNormed.pointer,
      io.pickedInverse.pointer, rows, d, rmsNormEps,
    );
    this.#temper(batch, io.pickedNormed);
  }

  /** Logits of the rows, `HEAD_ROWS` at a time. */
  #chunks(batch: PackedBatch, visit: (first: number, rows: number) => void): void {
    const { kernels, config, head, batch: io } = this.#memory;
    const { hiddenSize: d, vocabSize } = config;
    for (let first = 0; first < batch.rows.length; first += HEAD_ROWS) {
      const rows = Math.min(HEAD_ROWS, batch.rows.length - first);
      const x = io.pickedNormed.pointer + 4 * first * d;
      kernels.gemm(
        x,
        d,
        head.forward,
        d * PANEL,
        io.logits.pointer,
        vocabSize,
        rows,
        vocabSize,
        d,
        0,
      );
      visit(first, rows);
    }
  }

  #scores(batch: PackedBatch): RowScores {
    const { kernels, config, batch: io } = this.#memory;
    const count = batch.rows.length;
    this.#chunks(batch, (first, rows) => {
      const at = 4 * first;
      // prettier-ignore
      kernels.softmax_scores(
        io.logits.pointer, io.targets.pointer + at, io.nll.pointer + at, io.entropy.pointer + at,
        rows, config.vocabSize,
      );
    });
    const logprobs = this.#memory.floats(io.nll).slice(0, count);
    for (let i = 0; i < count; i++) logprobs[i] = -logprobs[i]!;
    return { logprobs, entropies: this.#memory.floats(io.entropy).slice(0, count) };
  }

  /** Through head and final norm, into `dResidual`. */
  #headBackward(batch: PackedBatch, coefficients: Float32Array): void {
    const memory = this.#memory;
    const { kernels, config, head, weights, scratch, batch: io } = memory;
    const { hiddenSize: d, vocabSize } = config;
    const count = batch.rows.length;
    memory.floats(io.coefficients).set(coefficients);
    this.#chunks(batch, (first, rows) => {
      const at = 4 * first;
      // prettier-ignore
      kernels.cross_entropy(
        io.logits.pointer, io.targets.pointer + at, io.coefficients.pointer + at,
        io.nll.pointer + at, io.best.pointer + at, rows, vocabSize,
      );
      const dx = io.dPicked.pointer + at * d;
      kernels.gemm(
        io.logits.pointer,
        vocabSize,
        head.backward,
        vocabSize * PANEL,
        dx,
        d,
        rows,
        d,
        vocabSize,
        0,
      );
    });
    this.#temper(batch, io.dPicked);
    // dNormed serves as the gradient of the picked rows: its own use begins later.
    const dPicked = scratch.dNormed.pointer;
    memory.floats({ pointer: dPicked, length: count * d }).fill(0);
    // prettier-ignore
    kernels.rms_norm_backward(
      io.picked.pointer, weights.finalNorm.byteOffset, io.pickedInverse.pointer,
      io.dPicked.pointer, dPicked, scratch.unused.pointer, count, d,
    );
    memory.floats({ pointer: scratch.dResidual.pointer, length: batch.ids.length * d }).fill(0);
    kernels.scatter_add(scratch.dResidual.pointer, io.rows.pointer, dPicked, count, d);
  }
}

/**
 * A LoRA trainer on the WASM kernels.
 * @throws Error for sizes that are no multiple of 8; RangeError without memory
 */
export async function createWasmLoraTrainer(
  weights: PolicyWeights,
  spec: LoraSpec,
  limits: TrainLimits,
  relaxed?: boolean,
): Promise<LoraTrainer> {
  return new WasmLoraTrainer(await LoraMemory.create(weights, spec, limits, relaxed));
}
