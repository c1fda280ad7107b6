import type { Passage } from '../records/records.ts';
import type { LiveClusters } from './cluster/live.ts';
import type { VectorTable } from './dense/dense.ts';
import { HYBRID_RRF_K, learnFusion, type FusionWeights } from './learn-fusion.ts';
import { LexicalIndex } from './lexical/lexical.ts';
import { LocalSource } from './local.ts';
import { LOCAL_METHODS, localMethod } from './methods/list.ts';
import {
  staged,
  type DenseAnswers,
  type LocalHooks,
  type LocalMethod,
  type LocalParts,
} from './methods/method.ts';
import type { Hit } from '../records/hits.ts';
import type { QueryEncoder, Source, Reranker, SourceResult } from './sources.ts';
import { encodeCached, type CacheableEncoder, type VectorCache } from './vector-cache.ts';

/** Bytes in memory. Passages and the lexical index are estimates: engines do not tell. */
export interface LocalMemory {
  passages: number;
  lexical: number;
  dense: number;
}

/** The vectors of passages, for those who want to look into them. */
export interface OpenedVectors {
  encoder: QueryEncoder & CacheableEncoder;
  /** The index in use holds them; else they are read from the cache, or made, when asked for. */
  inMemory: boolean;
  /** Row i belongs to passage i. @throws the signal's reason when aborted */
  read(hooks?: LocalHooks): Promise<VectorTable>;
}

export interface OpenedLocal {
  source: Source;
  memory: LocalMemory;
  /** What searches, in a few words. */
  note: string;
  /** Null where the method needs none. */
  vectors: OpenedVectors | null;
  /** The very index that answers, where the method is clusters; it learns from queries. */
  clusters: LiveClusters | null;
}

/** How many passages a reranker is shown where fewer are wanted. */
const RERANK_DEPTH = 50;

/**
 * Orders what a source found by a reranker: the first `depth` passages, of which the k best are given.
 * The score of a hit becomes the reranker's; its ranks in the lists before stay to be seen.
 */
export class RerankedSource implements Source {
  readonly #source: Source;
  readonly #reranker: Reranker;
  readonly #depth: number;

  constructor(source: Source, reranker: Reranker, depth = RERANK_DEPTH) {
    this.#source = source;
    this.#reranker = reranker;
    this.#depth = depth;
  }

  get name(): Source['name'] {
    return this.#source.name;
  }

  async search(query: string, k: number, signal?: AbortSignal): Promise<SourceResult> {
    const found = await this.#source.search(query, Math.max(k, this.#depth), signal);
    const scores = await this.#reranker.score(
      query,
      found.hits.map(({ passage }) => passage),
      signal,
    );
    const hits = found.hits
      .map((hit, i): Hit => ({ ...hit, score: scores[i] ?? -Infinity }))
      // Equal scores keep the order in which they came: the sort is stable.
      .sort((a, b) => b.score - a.score)
      .slice(0, k);
    return { ...found, hits };
  }
}

/**
 * Indexes passages for one method of searching. Long work gives the event loop turns and can be
 * stopped.
 * @throws Error where a method needs an encoder and there is none; the signal's reason when aborted
 */
export async function openLocalSource(
  passages: readonly Passage[],
  { method: id }: { method: string },
  parts: LocalParts = {},
  hooks: LocalHooks = {},
  methods: readonly LocalMethod[] = LOCAL_METHODS,
): Promise<OpenedLocal> {
  const { encoder = null, reranker = null } = parts;
  const { words, dense: open } = localMethod(id, methods);
  if (open && !encoder)
    throw new Error(`Searching by "${id}" needs an encoder; choose one, or lexical search.`);
  hooks.signal?.throwIfAborted();
  const lexical = words ? await LexicalIndex.build(passages, {}, staged(hooks, 'lexical')) : null;
  const table = open && encoder ? await readVectors(encoder, hooks) : null;
  const dense = open && table ? await open(table, parts, hooks) : null;
  const clusters = dense?.clusters ?? null;
  const part =
    dense && encoder
      ? { index: dense.index, encoder, ...(dense.search && { search: dense.search }) }
      : null;
  const learned =
    lexical && part
      ? await learnFusion(passages, lexical, part, {
          cache: parts.vectorCache ?? null,
          ...signalOf(hooks),
        })
      : null;
  const plain = new LocalSource(
    passages,
    lexical,
    part,
    learned ? { weights: learned.weights, rrfK: HYBRID_RRF_K } : {},
  );
  const note = describe(words, encoder?.id ?? '', dense, learned?.weights ?? null);
  return {
    source: reranker ? new RerankedSource(plain, reranker) : plain,
    memory: {
      passages: passages.reduce((sum, { title, text }) => sum + stringBytes(title, text), 0),
      lexical: lexical?.bytes ?? 0,
      dense: dense?.index.bytes ?? 0,
    },
    note: reranker ? `${note}, reranked by ${reranker.id}` : note,
    vectors: encoder && table && vectorsOf(encoder, clusters ? null : table),
    clusters,
  };

  async function readVectors(by: CacheableEncoder, now: LocalHooks): Promise<VectorTable> {
    return parts.vectors ?? readEncoded(by, passages, parts.vectorCache ?? null, now);
  }

  function vectorsOf(by: QueryEncoder & CacheableEncoder, held: VectorTable | null): OpenedVectors {
    // An index of clusters does not need them: they shall not be held for it.
    return {
      encoder: by,
      inMemory: held !== null,
      read: async (now = {}) => held ?? readVectors(by, now),
    };
  }
}

/** Vectors of passages from the cache, or made. @throws the signal's reason when aborted */
export const readEncoded = (
  encoder: CacheableEncoder,
  passages: readonly Passage[],
  cache: VectorCache | null,
  hooks: LocalHooks = {},
): Promise<VectorTable> => encodeCached(encoder, passages, cache, staged(hooks, 'encode'));

const signalOf = ({ signal }: LocalHooks): { signal?: AbortSignal } => (signal ? { signal } : {});

/** A passage holds its text once more, sentence by sentence. Two bytes a character at most. */
const stringBytes = (title: string, text: string): number => 64 + title.length + 2 * text.length;

/** What searches, in a few words. */
function describe(
  words: boolean,
  encoder: string,
  dense: DenseAnswers | null,
  weights: FusionWeights | null,
): string {
  if (!dense) return 'BM25+';
  return words && weights
    ? `BM25+ and ${encoder}, fused ${weights.lexical} : ${weights.dense}`
    : `${encoder}, ${dense.note}`;
}
