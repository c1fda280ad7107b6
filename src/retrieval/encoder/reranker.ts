import { EncoderError } from './errors.ts';
import type { Passage } from '../../records/records.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import { LruCache } from '../../base/lru.ts';
import { contentKey, type Reranker } from '../sources.ts';
import { createTurns } from '../../base/turns.ts';
import { batchesByLength } from './batches.ts';
import { RERANKER_MANIFEST, rerankerManifestSchema, type RerankerManifest } from './manifest.ts';
import { openSession, readTextModel, type TextModelFiles } from './open.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import type { TextTemplate } from './template.ts';
import type { TextModelSession } from './text-model-session.ts';
import { padRows, plainPassage, type TokenRow } from './tokens.ts';
import { itemAt, present } from '../../base/items.ts';

const CACHED_SCORES = 8192;

/** An ONNX cross-encoder folder: reads query and passage together and gives the logit as score. */
export class OnnxReranker implements Reranker {
  readonly manifest: RerankerManifest;
  readonly #session: TextModelSession;
  readonly #template: TextTemplate;
  readonly #scores = new LruCache<number>(CACHED_SCORES);

  private constructor(
    { manifest, template }: TextModelFiles<RerankerManifest>,
    session: TextModelSession,
  ) {
    this.manifest = manifest;
    this.#session = session;
    this.#template = template;
  }

  /** Reads and checks a cross-encoder folder; the error names the file at fault. */
  static async open(
    fetchFile: FetchFile,
    ort: OrtModule,
    device: EncoderDevice = 'wasm',
  ): Promise<OnnxReranker> {
    const files = await readTextModel(fetchFile, {
      schema: rerankerManifestSchema,
      file: RERANKER_MANIFEST,
      attempt: (template) => template.pair('a', 'b', 8),
    });
    return new OnnxReranker(files, await openSession(files, ort, device));
  }

  get id(): string {
    return this.manifest.id;
  }

  async score(
    query: string,
    passages: readonly Passage[],
    signal?: AbortSignal,
  ): Promise<number[]> {
    const wanted = passages.map((passage) => {
      const key = `${query}\n${contentKey(passage)}`;
      return { passage, key, score: this.#scores.get(key) };
    });
    const missing = wanted.filter(({ score }) => score === undefined);
    const found = await this.scorePairs(
      missing.map(({ passage }) => [query, plainPassage(passage)]),
      signal,
    );
    missing.forEach((one, i) => {
      one.score = itemAt(found, i, 'scores');
      this.#scores.set(one.key, one.score);
    });
    return wanted.map(({ score }) => present(score, 'a score'));
  }

  /** Scores of pairs of texts as they are, in their order. */
  async scorePairs(
    pairs: readonly (readonly [string, string])[],
    signal?: AbortSignal,
  ): Promise<number[]> {
    const { maxTokens, lowerCase } = this.manifest;
    const fold = (text: string): string => (lowerCase ? text.toLowerCase() : text);
    const rows = pairs.map(([a, b]) => this.#template.pair(fold(a), fold(b), maxTokens));
    const scores: number[] = [];
    const turn = createTurns(signal);
    for (const batch of batchesByLength(rows, maxTokens)) {
      await turn();
      const found = await this.#run(batch.map((place) => itemAt(rows, place, 'pairs')));
      batch.forEach((place, i) => (scores[place] = itemAt(found, i, 'scores')));
    }
    signal?.throwIfAborted();
    return scores;
  }

  dispose(): Promise<void> {
    return this.#session.dispose();
  }

  async #run(rows: readonly TokenRow[]): Promise<number[]> {
    const { labels, maxTokens, padId } = this.manifest;
    const values = await this.#session.run(padRows(rows, maxTokens, { padId }));
    if (values.length !== rows.length * labels)
      throw new EncoderError(
        `the reranker gave ${values.length} logits for ${rows.length} pairs; its manifest says ${labels} a pair`,
      );
    const logit = (i: number): number => itemAt(values, i, 'logits');
    return rows.map((_, i) => (labels === 1 ? logit(i) : logit(2 * i + 1) - logit(2 * i)));
  }
}
