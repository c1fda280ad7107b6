import { itemAt } from '../../base/items.ts';
import { gateSize } from '../lora/spec.ts';
import { mixInput, mixInputBackward, viewGates, type Gates } from '../latent/gates.ts';
import type { Latents } from '../lora/train-batch.ts';
import type { Activations, Matrix, TokenRun, Tokens } from '../ops/values.ts';
import type { Decoder } from './decoder.ts';

/**
 * Input rows that are no token's embedding. The operations take them as they are: the rows of a step are a table made for
 * it, and "token" i of the step is the table's row i.
 */

/**
 * Places the runs and makes x their rows.
 * @param rows [tokens of all runs, hidden size]
 * @returns the table, to be freed once what was computed from it was read
 */
export function embedRows(
  decoder: Decoder,
  { tokens, x }: { tokens: Tokens; x: Activations },
  runs: readonly TokenRun[],
  rows: Float32Array,
  size: 'few' | 'many',
): Matrix {
  const { ops, config } = decoder;
  const width = config.hiddenSize;
  const writer = ops.matrix({ out: rows.length / width, in: width, type: 'f32' }, 'mixed inputs');
  writer.write(0, rows);
  const table = writer.finish();
  let at = 0;
  const places = runs.map((run) => {
    const from = at;
    at += run.ids.length;
    return { ...run, ids: Int32Array.from({ length: run.ids.length }, (_, i) => from + i) };
  });
  ops.place(tokens, places, size);
  ops.embed({ table, tokens, x, next: decoder.normOf(0) });
  return table;
}

/** What of a batch is mixed: its rows, and of each latent token the embedding. */
export interface MixedBatch {
  /** [tokens, hidden size] */
  readonly rows: Float32Array;
  /** [latent tokens, hidden size] */
  readonly own: Float32Array;
}

/** Gates that learn beside an adapter: their values, and what batches have added to their gradient. */
export class LearningGates {
  readonly width: number;
  readonly #gradient: Float64Array;
  readonly #views: Gates<Float64Array>;
  #gates: Gates | null = null;

  constructor(width: number) {
    this.width = width;
    this.#gradient = new Float64Array(gateSize(width));
    this.#views = viewGates(this.#gradient, width);
  }

  /** @param values as `viewGates` takes them; null: off */
  set(values: Float32Array | null): void {
    this.#gates = values && viewGates(values.slice(), this.width);
  }

  /** The rows of a batch with its mixtures; null where gates are off. @param embedded rows of the tokens themselves */
  mixed(embedded: Float32Array, { positions, hidden }: Latents): MixedBatch | null {
    const { width } = this;
    if (!this.#gates) return null;
    if (hidden.length !== positions.length * width)
      throw new Error(
        `batch: ${hidden.length} values for ${positions.length} latent tokens of width ${width}`,
      );
    const rows = embedded.slice();
    const own = new Float32Array(hidden.length);
    for (const [i, position] of positions.entries()) {
      const at = position * width;
      own.set(embedded.subarray(at, at + width), i * width);
      mixInput(
        this.#gates,
        own.subarray(i * width, (i + 1) * width),
        hidden.subarray(i * width, (i + 1) * width),
        rows.subarray(at, at + width),
      );
    }
    return { rows, own };
  }

  /** Adds the gradient of a batch. @param dInput ∂loss/∂rows, [tokens, hidden size] */
  learn({ own }: MixedBatch, { positions, hidden }: Latents, dInput: Float32Array): void {
    const { width } = this;
    if (!this.#gates) return;
    for (let i = 0; i < positions.length; i++) {
      const at = itemAt(positions, i) * width;
      mixInputBackward(
        this.#gates,
        own.subarray(i * width, (i + 1) * width),
        hidden.subarray(i * width, (i + 1) * width),
        dInput.subarray(at, at + width),
        this.#views,
      );
    }
  }

  zero(): void {
    this.#gradient.fill(0);
  }

  gradient(): Float32Array {
    return Float32Array.from(this.#gradient);
  }
}
