import { compareCodeUnits } from '../lexical/text.ts';
import type { Passage } from '../../records/records.ts';
import type { VectorTable } from '../dense/dense.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { LruCache } from '../../base/lru.ts';
import type { EncodeProgress, PassageEncoder, QueryEncoder } from '../sources/sources.ts';
import { createTurns } from '../../base/turns.ts';
import { batchesByLength } from './batches.ts';
import { ENCODER_MANIFEST, encoderManifestSchema, type EncoderManifest } from './manifest.ts';
import { poolRows, unitRows } from './pooling.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import type { TextTemplate } from './template.ts';
import { openTextModel, type OpenedTextModel } from './open.ts';
import type { TextModelSession } from './text-model-session.ts';
import { encodedPassage, encodedQuery, padRows, type TokenRow } from './tokens.ts';
import { itemAt } from '../../base/items.ts';

/** Passages that are cut into tokens at a time and sorted by length. */
const WINDOW = 1024;
const CACHED_QUERIES = 1024;

/** An ONNX encoder folder, run by onnxruntime-web. */
export class OnnxEncoder implements QueryEncoder, PassageEncoder {
  readonly manifest: EncoderManifest;
  readonly #session: TextModelSession;
  readonly #template: TextTemplate;
  readonly #queries = new LruCache<Float32Array>(CACHED_QUERIES);

  private constructor({ manifest, session, template }: OpenedTextModel<EncoderManifest>) {
    this.manifest = manifest;
    this.#session = session;
    this.#template = template;
  }

  /** Reads and checks an encoder folder; the error names the file at fault. */
  static async open(
    fetchFile: FetchFile,
    ort: OrtModule,
    device: EncoderDevice = 'wasm',
  ): Promise<OnnxEncoder> {
    return new OnnxEncoder(
      await openTextModel(fetchFile, ort, device, {
        schema: encoderManifestSchema,
        file: ENCODER_MANIFEST,
        attempt: (template, { specialTokens }) => specialTokens && template.single('a', 8),
      }),
    );
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
    // One query a run: padding beside others would change the last bits.
    const vector = await this.#run([this.#tokens(encodedQuery(text, this.manifest))]);
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
    const turn = createTurns(signal);
    let done = 0;
    for (let start = 0; start < passages.length; start += WINDOW) {
      const rows = passages
        .slice(start, start + WINDOW)
        .map((passage) => this.#tokens(this.passageText(passage)));
      for (const batch of batchesByLength(rows, maxTokens)) {
        await turn();
        const vectors = await this.#run(batch.map((place) => itemAt(rows, place, 'texts')));
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

  dispose(): Promise<void> {
    return this.#session.dispose();
  }

  #tokens(text: string): TokenRow {
    const { specialTokens, lowerCase, maxTokens } = this.manifest;
    const seen = lowerCase ? text.toLowerCase() : text;
    return specialTokens
      ? this.#template.single(seen, maxTokens)
      : { ids: this.#template.ids(seen) };
  }

  /** Vectors of token sequences, row-major. */
  async #run(texts: readonly TokenRow[]): Promise<Float32Array> {
    const { dimensions, maxTokens, normalize, padId, pooling } = this.manifest;
    const batch = padRows(texts, maxTokens, { padId });
    const values = await this.#session.run(batch);
    const rows = poolRows(values, batch, dimensions, pooling);
    return normalize ? unitRows(rows, dimensions) : rows;
  }
}
