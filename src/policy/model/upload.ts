import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import type { TensorSource } from '../checkpoint/tensor-source.ts';
import type { PackedRows, RoundingError } from '../checkpoint/packed-rows.ts';
import { fitsHalf, heldType, type HeldTypes } from '../checkpoint/weight-type.ts';
import { EMBED, FINAL_NORM, HEAD, layerName, normParts } from '../checkpoint/weights.ts';
import type { Handle, Norm, Ops } from '../ops/ops.ts';
import type { Matrix, MatrixType, MatrixWriter, Vector } from '../ops/values.ts';
import {
  Decoder,
  type Adapted,
  type DecoderLayer,
  type DecoderWeights,
  type Linear,
} from './decoder.ts';
import { GROUP, heldValues, quantise } from '../ops/quantise.ts';
import { layerMatrices } from './shapes.ts';

export interface UploadOptions {
  /** What matrices are held in. One with values beyond binary16 is in float32 where this is `f16`. */
  readonly type: HeldTypes;
  /** Called for each tensor that is rounded though its file has fewer bits than float32. */
  readonly onRounded?: (rounded: Rounded) => void;
  /** Called after every layer. */
  readonly onLayer?: (done: number, layers: number) => void;
}

/** How far the values of a tensor are from those that its file stores. */
export interface Rounded {
  /** What the file stores it in, such as `Q4_K`. */
  readonly stored: string;
  readonly held: MatrixType;
  /** Largest difference of a value. */
  readonly worst: number;
  /** The largest difference as a share of the largest value of its group of 32. */
  readonly share: number;
}

/** Values of a matrix that are on their way to the device at a time. */
const BLOCK = 2 ** 22;

/** A checkpoint whose values no computation can be made with. */
class BadWeights extends Error {
  override readonly name = 'BadWeights';
}

/** Rounds rows of a matrix to the type that it is held in, and keeps the largest difference. */
class RoundingErrors implements RoundingError {
  readonly #columns: number;
  readonly #type: MatrixType;
  worst = 0;
  /** As a share of the largest value of the group of 32 that it is in. */
  share = 0;

  constructor(columns: number, type: MatrixType) {
    [this.#columns, this.#type] = [columns, type];
  }

  /** Counts rows that were rounded elsewhere. */
  add({ worst, share }: RoundingError): void {
    this.worst = Math.max(this.worst, worst);
    this.share = Math.max(this.share, share);
  }

  /** The rows as a matrix of the type takes them. */
  held(values: Float32Array): Float32Array | PackedRows {
    const type = this.#type;
    if (type === 'f32') return values;
    if (type === 'f16') {
      this.#compare(values, heldValues(values, this.#columns, type));
      return values;
    }
    return quantise(values, this.#columns, type, this);
  }

  #compare(values: Float32Array, rounded: Float32Array): void {
    const columns = this.#columns;
    for (let row = 0; row < values.length; row += columns)
      for (let from = row; from < row + columns; from += GROUP) {
        const to = Math.min(from + GROUP, row + columns);
        let [worst, largest] = [0, 0];
        for (let i = from; i < to; i++) {
          const value = values[i] ?? 0;
          worst = Math.max(worst, Math.abs(value - (rounded[i] ?? 0)));
          largest = Math.max(largest, Math.abs(value));
        }
        this.worst = Math.max(this.worst, worst);
        if (largest > 0) this.share = Math.max(this.share, worst / largest);
      }
  }
}

/** Puts the parameters of a source on a device, a block of rows at a time. */
class Upload {
  readonly #ops: Ops;
  readonly #source: TensorSource;
  readonly #config: PolicyConfig;
  readonly #options: UploadOptions;
  /** What was made, to be freed where a later part fails. */
  readonly made: Handle[] = [];

  constructor(ops: Ops, source: TensorSource, options: UploadOptions) {
    this.#ops = ops;
    this.#source = source;
    this.#config = source.config;
    this.#options = options;
  }

  async read(name: string, from?: number, to?: number): Promise<Float32Array> {
    const values = await this.#source.read(name, from, to);
    // A sum of float32 sizes cannot outgrow a double: it is finite exactly where every value is.
    let magnitude = 0;
    for (let i = 0; i < values.length; i++) magnitude += Math.abs(values[i] ?? 0);
    if (Number.isFinite(magnitude)) return values;
    throw new BadWeights(
      `policy: tensor "${name}" holds ${values.find((value) => !Number.isFinite(value))}, which is not a finite number; download or convert the checkpoint again`,
    );
  }

  /** Weights of a norm as they are multiplied with: `scale` (stored + offset). */
  async gain(name: string, scale = 1): Promise<Vector> {
    const { normOffset } = variantOf(this.#config);
    // In float32 after each step, as transformers computes them.
    const values = (await this.read(name)).map((value) => scale * Math.fround(value + normOffset));
    return this.#made(this.#ops.vector(values, name));
  }

  /** Parameters one after the other. */
  async vectors(names: readonly string[], label: string): Promise<Vector> {
    const parts = await Promise.all(names.map((name) => this.read(name)));
    const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return this.#made(this.#ops.vector(all, label));
  }

  async norm(name: string): Promise<Norm> {
    return { weight: await this.gain(name), eps: this.#config.rmsNormEps };
  }

  /** Matrices of `inputs` columns stacked by rows. */
  async matrix(
    label: string,
    inputs: number,
    parts: readonly { name: string; out: number }[],
    turned?: { rows: number; headDim: number },
  ): Promise<Matrix> {
    const out = parts.reduce((sum, part) => sum + part.out, 0);
    const type = heldType(
      this.#options.type,
      parts.map(({ name }) => name),
    );
    const fill = async (held: MatrixType): Promise<Matrix | null> => {
      const shape = { out, in: inputs, type: held, ...(turned && { turned }) };
      const writer = this.#ops.matrix(shape, label);
      try {
        if (await this.#write(writer, inputs, parts, held)) return writer.finish();
        writer.abandon();
        return null;
      } catch (error) {
        writer.abandon();
        throw error;
      }
    };
    const matrix = (await fill(type)) ?? (await fill('f32'));
    if (!matrix) throw new Error(`policy: ${label} fits no type`);
    return this.#made(matrix);
  }

  /** @returns false where a value is beyond binary16 and that is what it is written in */
  async #write(
    writer: MatrixWriter,
    inputs: number,
    parts: readonly { name: string; out: number }[],
    held: MatrixType,
  ): Promise<boolean> {
    const rows = Math.max(1, Math.floor(BLOCK / inputs));
    let at = 0;
    for (const part of parts) {
      const errors = this.#source.packing ? new RoundingErrors(inputs, held) : null;
      for (let row = 0; row < part.out; row += rows) {
        const end = Math.min(part.out, row + rows);
        const packed = await this.#packed(part.name, held, row, end);
        if (packed) {
          if (packed.rounded) errors?.add(packed.rounded);
          writer.write(at, packed);
        } else {
          const values = await this.read(part.name, row * inputs, end * inputs);
          if (held === 'f16' && !fitsHalf(values)) return false;
          writer.write(at, errors?.held(values) ?? values);
        }
        at += end - row;
      }
      if (errors && errors.worst > 0)
        this.#options.onRounded?.({
          stored: this.#source.packing?.storedAs(part.name) ?? '',
          held,
          worst: errors.worst,
          share: errors.share,
        });
    }
    return true;
  }

  /** Rows that the source itself has in the type that they are held in; null where they must be rounded here. */
  async #packed(
    name: string,
    held: MatrixType,
    from: number,
    to: number,
  ): Promise<PackedRows | null> {
    if (held !== 'int8' && held !== 'int4') return null;
    return (await this.#source.packing?.rows(name, held, from, to)) ?? null;
  }

  async layer(index: number): Promise<DecoderLayer> {
    const variant = variantOf(this.#config);
    const matrices = layerMatrices(this.#config);
    const norms = normParts(this.#config);
    const name = (part: string): string => layerName(index, part);
    const linear = async (label: Adapted): Promise<Linear> => {
      const { in: inputs, parts, biased, turned } = matrices[label];
      const weights = parts.map(({ part, out }) => ({ name: name(`${part}.weight`), out }));
      const biases = parts.map(({ part }) => name(`${part}.bias`));
      return {
        matrix: await this.matrix(name(label), inputs, weights, turned),
        bias: biased ? await this.vectors(biases, name(`${label}.bias`)) : null,
      };
    };
    return {
      inputNorm: await this.norm(name('input_layernorm.weight')),
      qkv: await linear('qkv'),
      headNorms: variant.qkNorm
        ? {
            q: await this.gain(name('self_attn.q_norm.weight'), variant.queryScale),
            k: await this.gain(name('self_attn.k_norm.weight')),
            eps: this.#config.rmsNormEps,
          }
        : null,
      o: await linear('o'),
      attentionOutputNorm: norms.attentionOutput
        ? await this.norm(name(norms.attentionOutput))
        : null,
      mlpNorm: await this.norm(name(norms.mlp)),
      gateUp: await linear('gateUp'),
      down: await linear('down'),
      mlpOutputNorm: norms.mlpOutput ? await this.norm(name(norms.mlpOutput)) : null,
      turned: !variant.unturnedLayers.includes(index),
    };
  }

  /** Embedding, head and the norm before it. */
  async ends(): Promise<Omit<DecoderWeights, 'layers'>> {
    const { vocabSize, hiddenSize, tieWordEmbeddings } = this.#config;
    const table = (name: string): Promise<Matrix> =>
      this.matrix(name, hiddenSize, [{ name, out: vocabSize }]);
    const embed = await table(EMBED);
    const head = tieWordEmbeddings ? embed : await table(HEAD);
    return { embed, head, finalNorm: await this.norm(FINAL_NORM) };
  }

  #made<T extends Handle>(handle: T): T {
    this.made.push(handle);
    return handle;
  }
}

/**
 * Puts a policy on a device, layer by layer.
 * @throws BadWeights for values that are no finite numbers; MemoryError. What was made is freed then
 */
export async function uploadDecoder(
  ops: Ops,
  source: TensorSource,
  options: UploadOptions,
): Promise<Decoder> {
  const { config } = source;
  return freeing(ops, new Upload(ops, source, options), async (upload) => {
    const layers: DecoderLayer[] = [];
    for (let index = 0; index < config.layers; index++) {
      layers.push(await upload.layer(index));
      options.onLayer?.(index + 1, config.layers);
    }
    const ends = await upload.ends();
    await ops.settled();
    return new Decoder(ops, config, { layers, ...ends });
  });
}

/** One layer of a source. @throws as `uploadDecoder` */
export const uploadLayer = (
  ops: Ops,
  source: TensorSource,
  index: number,
  options: UploadOptions,
): Promise<DecoderLayer> =>
  freeing(ops, new Upload(ops, source, options), (upload) => upload.layer(index));

/** Embedding, head and last norm of a source. @throws as `uploadDecoder` */
export const uploadEnds = (
  ops: Ops,
  source: TensorSource,
  options: UploadOptions,
): Promise<Omit<DecoderWeights, 'layers'>> =>
  freeing(ops, new Upload(ops, source, options), (upload) => upload.ends());

/** Frees what was made where the rest fails. */
async function freeing<T>(
  ops: Ops,
  upload: Upload,
  make: (upload: Upload) => Promise<T>,
): Promise<T> {
  try {
    return await make(upload);
  } catch (error) {
    ops.free(...upload.made);
    throw error;
  }
}
