import type { InferenceSession } from 'onnxruntime-web';
import type { Passage } from '../../data/records.ts';
import type { VectorTable } from '../dense.ts';
import { explain } from '../explain.ts';
import { parseJson, type FetchFile } from '../fetch-file.ts';
import { LruCache } from '../lru.ts';
import type { PassageEncoder, QueryEncoder } from '../sources.ts';
import { ENCODER_MANIFEST, encoderManifestSchema, type EncoderManifest } from './manifest.ts';
import { poolRows, unitRows } from './pooling.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import { pad, passageText, queryText, readTokenizer, type Tokenize } from './tokens.ts';

/** Passages of one run of the model. */
const BATCH = 32;
const CACHED_QUERIES = 1024;

/** An ONNX encoder folder, run by onnxruntime-web. */
export class OnnxEncoder implements QueryEncoder, PassageEncoder {
  readonly manifest: EncoderManifest;
  readonly #ort: OrtModule;
  readonly #session: InferenceSession;
  readonly #tokenize: Tokenize;
  readonly #queries = new LruCache<Float32Array>(CACHED_QUERIES);
  /** Runs follow one another: a session takes one at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    manifest: EncoderManifest,
    ort: OrtModule,
    session: InferenceSession,
    tokenize: Tokenize,
  ) {
    this.manifest = manifest;
    this.#ort = ort;
    this.#session = session;
    this.#tokenize = tokenize;
  }

  /** Reads and checks an encoder folder; the error names the file at fault. */
  static async open(
    fetchFile: FetchFile,
    ort: OrtModule,
    device: EncoderDevice = 'wasm',
  ): Promise<OnnxEncoder> {
    const parsed = encoderManifestSchema.safeParse(
      parseJson(await fetchFile(ENCODER_MANIFEST), ENCODER_MANIFEST),
    );
    if (!parsed.success) throw new Error(`${ENCODER_MANIFEST}: ${explain(parsed.error)}`);
    const { model, tokenizer } = parsed.data;
    const [modelFile, tokenizerFile] = await Promise.all([fetchFile(model), fetchFile(tokenizer)]);
    const session = await ort.InferenceSession.create(modelFile, {
      executionProviders: [device],
    }).catch((cause: unknown) => {
      throw new Error(`${model}: onnxruntime cannot load it on ${device}`, { cause });
    });
    const tokenize = readTokenizer(parseJson(tokenizerFile, tokenizer), tokenizer);
    return new OnnxEncoder(parsed.data, ort, session, tokenize);
  }

  get id(): string {
    return this.manifest.id;
  }

  get dimensions(): number {
    return this.manifest.dimensions;
  }

  async encodeQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    const cached = this.#queries.get(text);
    if (cached) return cached;
    // One query a run: padding beside others would change the last bits.
    const vector = await this.#run([this.#tokenize(queryText(text, this.manifest.queryPrefix))]);
    signal?.throwIfAborted();
    this.#queries.set(text, vector);
    return vector;
  }

  async encodePassages(
    passages: readonly Passage[],
    onProgress?: (done: number, total: number) => void,
  ): Promise<VectorTable> {
    const { dimensions, passagePrefix } = this.manifest;
    const values = new Float32Array(passages.length * dimensions);
    for (let start = 0; start < passages.length; start += BATCH) {
      const texts = passages.slice(start, start + BATCH).map((p) => passageText(p, passagePrefix));
      values.set(await this.#run(texts.map(this.#tokenize)), start * dimensions);
      onProgress?.(Math.min(start + BATCH, passages.length), passages.length);
    }
    return { dimensions, values };
  }

  async dispose(): Promise<void> {
    await this.#queue.catch(() => undefined);
    await this.#session.release();
  }

  /** Vectors of token sequences, row-major. */
  #run(texts: readonly (readonly number[])[]): Promise<Float32Array> {
    const run = this.#queue.catch(() => undefined).then(() => this.#runNow(texts));
    this.#queue = run;
    return run;
  }

  async #runNow(texts: readonly (readonly number[])[]): Promise<Float32Array> {
    const { dimensions, maxTokens, normalize, pooling } = this.manifest;
    const batch = pad(texts, maxTokens);
    const dims = [batch.rows, batch.length];
    const int64 = (values: Int32Array): InstanceType<OrtModule['Tensor']> =>
      new this.#ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
    const inputs: Record<string, InstanceType<OrtModule['Tensor']>> = {
      input_ids: int64(batch.ids),
      attention_mask: int64(batch.mask),
    };
    if (this.#session.inputNames.includes('token_type_ids')) {
      inputs['token_type_ids'] = int64(new Int32Array(batch.ids.length));
    }
    const outputs = await this.#session.run(inputs);
    const data = outputs[this.#session.outputNames[0] ?? '']?.data;
    if (!(data instanceof Float32Array)) throw new Error('the encoder gives no float32 output');
    const rows = poolRows(data, batch, dimensions, pooling);
    return normalize ? unitRows(rows, dimensions) : rows;
  }
}
