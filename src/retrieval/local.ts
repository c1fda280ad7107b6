import { itemAt, present } from '../base/items.ts';
import type { Hit } from '../records/hits.ts';
import type { Passage } from '../records/records.ts';
import type { DenseIndex, Neighbour } from './dense/dense.ts';
import { fuse, RRF_K, type Fused } from './fusion.ts';
import type { FusionWeights } from './learn-fusion.ts';
import type { LexicalIndex } from './lexical/lexical.ts';
import type { QueryEncoder, Source, SourceResult } from './sources.ts';

export interface LocalOptions {
  /** How deep the two lists are that are fused. */
  depth: number;
  rrfK: number;
  /** What a rank counts in each list. */
  weights: FusionWeights;
}

const DEFAULTS: LocalOptions = { depth: 50, rrfK: RRF_K, weights: { lexical: 1, dense: 1 } };

/** Vectors of the passages (row i belongs to passage i) and the encoder that made them. */
export interface DensePart {
  index: DenseIndex;
  encoder: QueryEncoder;
  /** Asked in place of the index where that is to know the words of a query too. */
  search?: (text: string, vector: Float32Array, k: number) => Neighbour[];
}

/** A passage in the list of one method, by that method's own score. */
interface Scored {
  id: string;
  score: number;
}

/** The local corpus: BM25+, dense search, or both fused by RRF. A method alone gives its own scores. */
export class LocalSource implements Source {
  readonly name = 'local' as const;
  readonly #passages: readonly Passage[];
  readonly #rows: ReadonlyMap<string, number>;
  readonly #lexical: LexicalIndex | null;
  readonly #dense: DensePart | null;
  readonly #options: LocalOptions;

  constructor(
    passages: readonly Passage[],
    lexical: LexicalIndex | null,
    dense: DensePart | null,
    options: Partial<LocalOptions> = {},
  ) {
    if (!lexical && !dense) throw new Error('a local source needs a lexical or a dense index');
    if (dense && dense.index.size !== passages.length) {
      throw new Error(`${dense.index.size} vectors for ${passages.length} passages`);
    }
    this.#passages = passages;
    this.#rows = new Map(passages.map((p, row) => [p.id, row]));
    this.#lexical = lexical;
    this.#dense = dense;
    this.#options = { ...DEFAULTS, ...options };
  }

  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    signal?.throwIfAborted();
    // A list alone is taken as it is: deeper would only teach an index what nobody was given.
    const depth = this.#lexical && this.#dense ? Math.max(k, this.#options.depth) : k;
    const vector = await this.#dense?.encoder.encodeQuery(query, signal);
    const lexical: Scored[] =
      this.#lexical
        ?.search(query, depth)
        .map(({ passage, score }) => ({ id: passage.id, score })) ?? [];
    const lists = [lexical, this.#nearest(query, vector, depth)];
    const { rrfK, weights } = this.#options;
    const keys = lists.map((list) => list.map(({ id }) => id));
    const fused = fuse(keys, rrfK, [weights.lexical, weights.dense]).slice(0, k);
    // Where one method searches nothing is fused: 1 / (60 + rank) would be the same for every query, and say nothing.
    const own =
      this.#lexical && this.#dense
        ? null
        : new Map(lists.flat().map(({ id, score }) => [id, score]));
    return {
      hits: fused.map((one) =>
        this.#hit({ ...one, score: own?.get(one.key) ?? one.score }, vector),
      ),
    };
  }

  /** The nearest passages, best first; none without an encoder. */
  #nearest(text: string, vector: Float32Array | undefined, k: number): Scored[] {
    if (!vector || !this.#dense) return [];
    const { index, search } = this.#dense;
    const found = search ? search(text, vector, k) : index.search(vector, k);
    return found.map((one) => ({
      id: itemAt(this.#passages, one.index).id,
      score: one.similarity,
    }));
  }

  #hit({ key, score, ranks }: Fused, vector: Float32Array | undefined): Hit {
    const row = present(this.#rows.get(key), 'the row of a hit');
    const passage = itemAt(this.#passages, row);
    const [lexicalRank, denseRank] = ranks;
    const similarity = vector && this.#dense?.index.similarity(vector, row);
    return {
      passage,
      score,
      source: this.name,
      lexicalRank,
      denseRank,
      similarity,
    };
  }
}
