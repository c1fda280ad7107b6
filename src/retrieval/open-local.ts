import type { LocalMethod } from '../records/setup.ts';
import type { Passage } from '../records/records.ts';
import { buildClusters, type ClusterParts } from './cluster/build.ts';
import { clusterIdentity, decodeClusters, encodeClusters } from './cluster/file.ts';
import { ClusterIndex } from './cluster/cluster-index.ts';
import { LiveClusters } from './cluster/live.ts';
import type { BuildOptions, SamplingOptions } from './cluster/options.ts';
import { learnedIdentity, type LearnedCache } from './cluster/learned.ts';
import { ExactIndex, type VectorTable } from './dense/dense.ts';
import { HnswIndex } from './dense/hnsw.ts';
import { HYBRID_RRF_K, learnFusion, type FusionWeights } from './fusion/learn-fusion.ts';
import { LexicalIndex } from './lexical/lexical.ts';
import { LocalSource, type DensePart } from './local.ts';
import { RerankedSource } from './sources/reranked.ts';
import type { QueryEncoder, Reranker, Source } from './sources/sources.ts';
import { createTurns } from '../base/turns.ts';
import { encodeCached, type CacheableEncoder, type VectorCache } from './sources/vector-cache.ts';

/** Bytes under a name, where they may be gone at any time. */
export interface IndexCache {
  read(name: string): Promise<Uint8Array | null>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export interface LocalParts {
  /** Needed by every method but `lexical`. */
  encoder?: (QueryEncoder & CacheableEncoder) | null;
  reranker?: Reranker | null;
  /** Vectors of the passages where they are known already; row i belongs to passage i. */
  vectors?: VectorTable | null;
  /** Keeps vectors of passages. */
  vectorCache?: VectorCache | null;
  /** Keeps indexes of clusters. */
  indexCache?: IndexCache | null;
  /** Keeps what clusters learn from queries. */
  learnedCache?: LearnedCache | null;
  clusters?: Partial<BuildOptions>;
  sampling?: Partial<SamplingOptions>;
}

const LOCAL_STAGES = ['lexical', 'encode', 'graph', 'clusters'] as const;
export type LocalStage = (typeof LOCAL_STAGES)[number];

export interface LocalHooks {
  /** Passages of a stage that are done; of `clusters`, of its last step. */
  onProgress?: (stage: LocalStage, done: number, total: number) => void;
  signal?: AbortSignal;
}

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

/**
 * Indexes passages for one method of searching. Long work gives the event loop turns and can be
 * stopped.
 * @throws Error where a method needs an encoder and there is none; the signal's reason when aborted
 */
export async function openLocalSource(
  passages: readonly Passage[],
  { method }: { method: LocalMethod },
  parts: LocalParts = {},
  hooks: LocalHooks = {},
): Promise<OpenedLocal> {
  const { encoder = null, reranker = null } = parts;
  if (method !== 'lexical' && !encoder)
    throw new Error(`Searching by "${method}" needs an encoder; choose one, or lexical search.`);
  hooks.signal?.throwIfAborted();
  const lexical =
    method === 'lexical' || method === 'hybrid'
      ? await LexicalIndex.build(passages, {}, staged(hooks, 'lexical'))
      : null;
  const table = method === 'lexical' || !encoder ? null : await readVectors(encoder, hooks);
  const clusters = table && method === 'cluster' ? await openClusters(table, parts, hooks) : null;
  const dense = table && (clusters?.index ?? (await openIndex(table)));
  const part: DensePart | null =
    dense && encoder
      ? { index: dense, encoder, ...(clusters && { search: answerer(clusters) }) }
      : null;
  const learned =
    lexical && dense && encoder
      ? await learnFusion(
          passages,
          lexical,
          { index: dense, encoder },
          { cache: parts.vectorCache ?? null, ...signalOf(hooks) },
        )
      : null;
  const plain = new LocalSource(
    passages,
    lexical,
    part,
    learned ? { weights: learned.weights, rrfK: HYBRID_RRF_K } : {},
  );
  return {
    source: reranker ? new RerankedSource(plain, reranker) : plain,
    memory: {
      passages: passages.reduce((sum, { title, text }) => sum + stringBytes(title, text), 0),
      lexical: lexical?.bytes ?? 0,
      dense: dense?.bytes ?? 0,
    },
    note: describe({ method, encoder, reranker, clusters, weights: learned?.weights ?? null }),
    vectors: encoder && table && vectorsOf(encoder, clusters ? null : table),
    clusters,
  };

  function openIndex(vectors: VectorTable): Promise<HnswIndex> | ExactIndex {
    if (method === 'hnsw') return HnswIndex.build(vectors, {}, staged(hooks, 'graph'));
    return new ExactIndex(vectors);
  }

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

const answerer =
  (clusters: LiveClusters): NonNullable<DensePart['search']> =>
  (text, vector, k) =>
    clusters.search(text, vector, k).neighbours;

/** Clusters of the vectors and what they learned, from the caches where these hold them. */
export async function openClusters(
  vectors: VectorTable,
  { indexCache, learnedCache, clusters = {}, sampling }: LocalParts,
  hooks: LocalHooks,
): Promise<LiveClusters> {
  const start = performance.now();
  const identity = indexCache || learnedCache ? await clusterIdentity(vectors, clusters) : '';
  const read = await readClusters(indexCache ?? null, identity);
  const parts = read ?? (await buildAndStore());
  const index = new ClusterIndex(parts, sampling);
  const name = learnedCache && (await learnedIdentity(identity, index.sampling));
  const learned = name ? await learnedCache.read(name) : null;
  // Of another number of clusters it is of no use.
  if (learned?.weights.length === parts.offsets.length - 1) index.learn(learned);
  return new LiveClusters(index, {
    stored: read !== null,
    openedMs: performance.now() - start,
    keep: name ? (now) => learnedCache.keep(name, now) : null,
  });

  async function buildAndStore(): Promise<ClusterParts> {
    const { onProgress, signal } = hooks;
    const built = await buildClusters(vectors, clusters, {
      pause: createTurns(signal),
      ...(signal && { signal }),
      onProgress: (_, done, total) => onProgress?.('clusters', done, total),
    });
    await indexCache?.write(identity, encodeClusters(built, identity));
    return built;
  }
}

async function readClusters(
  cache: IndexCache | null,
  identity: string,
): Promise<ClusterParts | null> {
  const stored = await cache?.read(identity);
  if (!stored) return null;
  try {
    return decodeClusters(stored, identity);
  } catch {
    // A cache that cannot be read is written again.
    return null;
  }
}

const signalOf = ({ signal }: LocalHooks): { signal?: AbortSignal } => (signal ? { signal } : {});

const staged = (
  { onProgress, signal }: LocalHooks,
  stage: LocalStage,
): { onProgress: (done: number, total: number) => void; signal?: AbortSignal } => ({
  onProgress: (done, total) => onProgress?.(stage, done, total),
  ...(signal && { signal }),
});

/** A passage holds its text once more, sentence by sentence. Two bytes a character at most. */
const stringBytes = (title: string, text: string): number => 64 + title.length + 2 * text.length;

interface Described {
  method: LocalMethod;
  encoder: CacheableEncoder | null;
  reranker: Reranker | null;
  clusters: LiveClusters | null;
  weights: FusionWeights | null;
}

function describe({ method, encoder, reranker, clusters, weights }: Described): string {
  const found: Record<LocalMethod, string> = {
    lexical: 'BM25+',
    flat: `${encoder?.id}, exact scan`,
    hnsw: `${encoder?.id}, HNSW graph`,
    cluster: `${encoder?.id}, ${clusters ? clusters.index.parts.offsets.length - 1 : 0} clusters`,
    hybrid: `BM25+ and ${encoder?.id}, fused ${weights?.lexical} : ${weights?.dense}`,
  };
  return reranker ? `${found[method]}, reranked by ${reranker.id}` : found[method];
}
