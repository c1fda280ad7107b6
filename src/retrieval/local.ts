import type { Hit } from '../data/hits.ts';
import type { Passage } from '../data/records.ts';
import type { DenseIndex } from './dense.ts';
import { fuse, RRF_K } from './fusion.ts';
import type { LexicalIndex } from './lexical.ts';
import type { QueryEncoder, Source, SourceResult } from './sources.ts';

export interface LocalOptions {
  /** How deep the two lists are that are fused. */
  depth: number;
  rrfK: number;
}

const DEFAULTS: LocalOptions = { depth: 50, rrfK: RRF_K };

/** Vectors of the passages (row i belongs to passage i) and the encoder that made them. */
export interface DensePart {
  index: DenseIndex;
  encoder: QueryEncoder;
}

/** The local corpus: BM25+ and, where there is an encoder, dense search, fused by RRF. */
export class LocalSource implements Source {
  readonly name = 'local' as const;
  readonly #passages: readonly Passage[];
  readonly #byId: ReadonlyMap<string, Passage>;
  readonly #lexical: LexicalIndex;
  readonly #dense: DensePart | null;
  readonly #options: LocalOptions;

  constructor(
    passages: readonly Passage[],
    lexical: LexicalIndex,
    dense: DensePart | null,
    options: Partial<LocalOptions> = {},
  ) {
    if (dense && dense.index.size !== passages.length) {
      throw new Error(`${dense.index.size} vectors for ${passages.length} passages`);
    }
    this.#passages = passages;
    this.#byId = new Map(passages.map((p) => [p.id, p]));
    this.#lexical = lexical;
    this.#dense = dense;
    this.#options = { ...DEFAULTS, ...options };
  }

  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    signal?.throwIfAborted();
    const depth = Math.max(k, this.#options.depth);
    const similarities = await this.#similar(query, depth, signal);
    const lexical = this.#lexical.search(query, depth).map(({ passage }) => passage.id);
    const fused = fuse([lexical, [...similarities.keys()]], this.#options.rrfK).slice(0, k);
    const hits = fused.flatMap(({ key, score, ranks: [lexicalRank, denseRank] }): Hit[] => {
      const passage = this.#byId.get(key);
      const similarity = similarities.get(key);
      if (!passage) return [];
      return [
        {
          passage,
          score,
          source: this.name,
          ...(lexicalRank !== undefined && { lexicalRank }),
          ...(denseRank !== undefined && { denseRank }),
          ...(similarity !== undefined && { similarity }),
        },
      ];
    });
    return { hits };
  }

  /** Cosine similarities of the nearest passages by id, best first; empty without an encoder. */
  async #similar(query: string, k: number, signal?: AbortSignal): Promise<Map<string, number>> {
    const similar = new Map<string, number>();
    if (!this.#dense) return similar;
    const vector = await this.#dense.encoder.encodeQuery(query, signal);
    for (const { index, similarity } of this.#dense.index.search(vector, k)) {
      const passage = this.#passages[index];
      if (passage) similar.set(passage.id, similarity);
    }
    return similar;
  }
}
