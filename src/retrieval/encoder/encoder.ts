import { compareCodeUnits } from '../lexical/text.ts';
import type { Passage } from '../../records/records.ts';
import type { VectorTable } from '../dense/dense.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { LruCache } from '../../base/lru.ts';
import type { EncodeProgress, PassageEncoder, QueryEncoder } from '../sources.ts';
import { createTurns } from '../../base/turns.ts';
import { batchesByLength } from './batches.ts';
import { ENCODER_MANIFEST, encoderManifestSchema, type EncoderManifest } from './manifest.ts';
import { EncoderError } from './errors.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import type { TextTemplate } from './template.ts';
import { WasmMemory } from '../../policy/wasm/memory.ts';
import { EncoderModel } from './built-in/model.ts';
import { OUTPUT, readOnnx } from './built-in/onnx-file.ts';
import { Products } from './built-in/products.ts';
import { openSession, readTextModel, type TextModelFiles } from './open.ts';
import { TextModelSession } from './text-model-session.ts';
import {
  encodedPassage,
  encodedQuery,
  padRows,
  type PaddedBatch,
  type TokenRow,
} from './tokens.ts';
import { itemAt, present } from '../../base/items.ts';

/** Passages that are cut into tokens at a time and sorted by length. */
const WINDOW = 1024;
const CACHED_QUERIES = 1024;
/**
 * Passages that the built-in encoder runs without onnxruntime. More are faster there, and stay what the vectors of
 * built-in worlds are, to the bit.
 */
const FEW = 16;

/** Most memory of the encoder, 64 MiB in pages: 16 texts of 128 tokens take a sixth of it. */
const PAGES = 1024;

/** Runs the built-in encoder without onnxruntime: unit vectors [texts, dimensions] of a batch. */
type RunBuiltIn = (batch: PaddedBatch) => Float32Array;

/**
 * The built-in encoder on kernels that the policy has already brought along. onnxruntime is 14 MB of WebAssembly, and a
 * browser takes seconds to optimise it; for a query of ten tokens that is most of what a first visit would do.
 * Without fused multiply-add, so that every browser and Node give a query the same bits.
 * @returns null where the folder holds another model
 * @throws MemoryError where the engine gives no memory
 */
async function openBuiltIn(
  manifest: EncoderManifest,
  file: Uint8Array,
): Promise<RunBuiltIn | null> {
  const { dimensions, maxTokens, normalize, output = OUTPUT, pooling } = manifest;
  if (output !== OUTPUT || pooling !== 'none' || normalize) return null;
  const read = readOnnx(file);
  if (!read || read.config.out !== dimensions || read.config.maxTokens < maxTokens) return null;
  const { config, weights } = read;
  const memory = await WasmMemory.create(false, [PAGES]);
  const model = new EncoderModel(config, new Products(memory), weights);
  return (batch) => {
    const unknown = batch.ids.find((id) => id >= config.vocabSize);
    if (unknown !== undefined)
      throw new EncoderError(
        `${manifest.tokenizer} gives token ${unknown}; ${manifest.model} knows ${config.vocabSize}`,
      );
    return model.encode(batch);
  };
}

/** The built-in model, which needs a session for many passages alone. */
interface BuiltIn {
  run: RunBuiltIn;
  openSession: () => Promise<TextModelSession>;
}

/** Loads onnxruntime-web; called when it is needed first. */
export type OpenOrt = () => Promise<OrtModule>;

/** One vector a text from a model's output ([rows, d] for `none`, else [rows, length, d]). */
export function poolRows(
  output: Float32Array,
  batch: PaddedBatch,
  dimensions: number,
  pooling: EncoderManifest['pooling'],
): Float32Array {
  const { rows, length, mask } = batch;
  const expected = rows * dimensions * (pooling === 'none' ? 1 : length);
  if (output.length !== expected) {
    throw new EncoderError(`the encoder gave ${output.length} values, expected ${expected}`);
  }
  if (pooling === 'none') return output.slice();
  const pooled = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const tokens = Math.max(1, sum(mask, row * length, length));
    const start = row * length * dimensions;
    const states = output.subarray(start, start + tokens * dimensions);
    pooled.set(poolOne(states, tokens, dimensions, pooling), row * dimensions);
  }
  return pooled;
}

/** Pools the states [tokens, d] of one text. */
function poolOne(
  states: Float32Array,
  tokens: number,
  dimensions: number,
  pooling: EncoderManifest['pooling'],
): Float32Array {
  if (pooling === 'cls') return states.subarray(0, dimensions);
  if (pooling === 'last') return states.subarray((tokens - 1) * dimensions);
  const pooled = new Float32Array(dimensions).fill(pooling === 'max' ? -Infinity : 0);
  for (let i = 0; i < tokens * dimensions; i++) {
    const at = i % dimensions;
    const value = states[i] ?? NaN;
    const before = pooled[at] ?? NaN;
    pooled[at] = pooling === 'max' ? Math.max(before, value) : before + value / tokens;
  }
  return pooled;
}

/** Tokens are at the front of a row, so their number is the sum of its mask. */
const sum = (values: Int32Array, start: number, length: number): number =>
  values.subarray(start, start + length).reduce((total, value) => total + value, 0);

/** Every row scaled to length 1; rows of zeros stay. */
export function unitRows(rows: Float32Array, dimensions: number): Float32Array {
  const scaled = rows.slice();
  for (let start = 0; start < rows.length; start += dimensions) {
    const row = scaled.subarray(start, start + dimensions);
    const norm = Math.sqrt(row.reduce((total, value) => total + value * value, 0));
    if (norm > 0) row.forEach((value, i) => (row[i] = value / norm));
  }
  return scaled;
}

/** An ONNX encoder folder, run by onnxruntime-web; the built-in one runs a few texts without it. */
export class OnnxEncoder implements QueryEncoder, PassageEncoder {
  readonly manifest: EncoderManifest;
  readonly #template: TextTemplate;
  readonly #builtIn: BuiltIn | null;
  #session: Promise<TextModelSession> | null;
  readonly #queries = new LruCache<Float32Array>(CACHED_QUERIES);

  private constructor(
    { manifest, template }: TextModelFiles<EncoderManifest>,
    model: BuiltIn | TextModelSession,
  ) {
    this.manifest = manifest;
    this.#template = template;
    const opened = model instanceof TextModelSession;
    this.#session = opened ? Promise.resolve(model) : null;
    this.#builtIn = opened ? null : model;
  }

  /**
   * Reads and checks an encoder folder; the error names the file at fault.
   * @param ort called now, or for the built-in encoder when many passages are encoded
   */
  static async open(
    fetchFile: FetchFile,
    ort: OpenOrt,
    device: EncoderDevice = 'wasm',
  ): Promise<OnnxEncoder> {
    const files = await readTextModel(fetchFile, {
      schema: encoderManifestSchema,
      file: ENCODER_MANIFEST,
      attempt: (template, { specialTokens }) => specialTokens && template.single('a', 8),
    });
    const run = await openBuiltIn(files.manifest, files.bytes);
    const session = async () => openSession(files, await ort(), device);
    // A session has the model for itself: the bytes of a large one are let go.
    return new OnnxEncoder(files, run ? { run, openSession: session } : await session());
  }

  get id(): string {
    return this.manifest.id;
  }

  /** Everything that a vector depends on beside the text: two encoders with one revision agree. */
  get revision(): string {
    return JSON.stringify(Object.entries(this.manifest).sort(([a], [b]) => compareCodeUnits(a, b)));
  }

  get dimensions(): number {
    return this.manifest.dimensions;
  }

  /** A passage as the model is shown it. */
  passageText(passage: Passage): string {
    return encodedPassage(passage, this.manifest);
  }

  async encodeQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    const cached = this.#queries.get(text);
    if (cached) return cached;
    // One query per run: padding beside others would change the last bits.
    const vector = await this.#runFew([this.#tokens(encodedQuery(text, this.manifest))]);
    signal?.throwIfAborted();
    this.#queries.set(text, vector);
    return vector;
  }

  async encodePassages(
    passages: readonly Passage[],
    onProgress?: EncodeProgress,
    signal?: AbortSignal,
  ): Promise<VectorTable> {
    const { dimensions, maxTokens } = this.manifest;
    const values = new Float32Array(passages.length * dimensions);
    const run = passages.length <= FEW ? this.#runFew : this.#run;
    const turn = createTurns(signal);
    let done = 0;
    for (let start = 0; start < passages.length; start += WINDOW) {
      const rows = passages
        .slice(start, start + WINDOW)
        .map((passage) => this.#tokens(this.passageText(passage)));
      for (const batch of batchesByLength(rows, maxTokens)) {
        await turn();
        const vectors = await run(batch.map((place) => itemAt(rows, place, 'texts')));
        batch.forEach((place, i) =>
          values.set(
            vectors.subarray(i * dimensions, (i + 1) * dimensions),
            (start + place) * dimensions,
          ),
        );
        done += batch.length;
        onProgress?.(done, passages.length);
      }
    }
    return { dimensions, values };
  }

  async dispose(): Promise<void> {
    const session = await this.#session?.catch(() => null);
    await session?.dispose();
  }

  /** One that could not be opened is tried again when it is needed again. */
  #opened(): Promise<TextModelSession> {
    const builtIn = this.#builtIn;
    if (builtIn)
      this.#session ??= builtIn.openSession().catch((error: unknown) => {
        this.#session = null;
        throw error;
      });
    return present(this.#session, 'the session of the encoder');
  }

  #tokens(text: string): TokenRow {
    const { specialTokens, lowerCase, maxTokens } = this.manifest;
    const seen = lowerCase ? text.toLowerCase() : text;
    return specialTokens
      ? this.#template.single(seen, maxTokens)
      : { ids: this.#template.ids(seen) };
  }

  /** Vectors of a few token sequences, row-major. */
  readonly #runFew = async (texts: readonly TokenRow[]): Promise<Float32Array> =>
    this.#builtIn ? this.#builtIn.run(this.#padded(texts)) : this.#run(texts);

  /** The same by onnxruntime. */
  readonly #run = async (texts: readonly TokenRow[]): Promise<Float32Array> => {
    const { dimensions, normalize, pooling } = this.manifest;
    const batch = this.#padded(texts);
    const values = await (await this.#opened()).run(batch);
    const rows = poolRows(values, batch, dimensions, pooling);
    return normalize ? unitRows(rows, dimensions) : rows;
  };

  #padded(texts: readonly TokenRow[]): PaddedBatch {
    const { maxTokens, padId } = this.manifest;
    return padRows(texts, maxTokens, { padId });
  }
}
