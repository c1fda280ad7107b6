import type { LocalMethod } from '../data/setup.ts';
import type { Passage } from '../data/records.ts';
import { buildClusters } from './cluster/build.ts';
import { ClusterIndex, type BuildOptions, type SamplingOptions } from './cluster/index.ts';
import { clusterIdentity, decodeClusters, encodeClusters } from './cluster/file.ts';
import { ExactIndex, type DenseIndex, type VectorTable } from './dense.ts';
import { HnswIndex } from './hnsw.ts';
import { knownItemWeight } from './known-item.ts';
import { LexicalIndex } from './lexical.ts';
import { LocalSource } from './local.ts';
import { RerankedSource } from './reranked.ts';
import type { QueryEncoder, Reranker, Source } from './sources.ts';
import { createTurns } from './turns.ts';
import { encodeCached, type CacheableEncoder, type VectorCache } from './vector-cache.ts';

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
  clusters?: Partial<BuildOptions>;
  sampling?: Partial<SamplingOptions>;
}

export const LOCAL_STAGES = ['lexical', 'encode', 'graph', 'clusters'] as const;
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

export interface OpenedLocal {
  source: Source;
  memory: LocalMemory;
  /** What searches, in a few words. */
  note: string;
  /** The index of clusters where that is the method; it learns from queries. */
  clusters: ClusterIndex | null;
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
  const dense = method === 'lexical' || !encoder ? null : await openDense();
  const part = dense && encoder ? { index: dense, encoder } : null;
  const known =
    lexical && part ? await knownItemWeight(passages, lexical, part, signalOf(hooks)) : null;
  const plain = new LocalSource(
    passages,
    lexical,
    part,
    known ? { denseWeight: known.denseWeight } : {},
  );
  const clusters = dense instanceof ClusterIndex ? dense : null;
  return {
    source: reranker ? new RerankedSource(plain, reranker) : plain,
    memory: {
      passages: passages.reduce((sum, { title, text }) => sum + stringBytes(title, text), 0),
      lexical: lexical?.bytes ?? 0,
      dense: dense?.bytes ?? 0,
    },
    note: describe(method, encoder, reranker, clusters),
    clusters,
  };

  async function openDense(): Promise<DenseIndex & { bytes: number }> {
    const vectors =
      parts.vectors ??
      (await encodeCached(encoder!, passages, parts.vectorCache ?? null, staged(hooks, 'encode')));
    if (method === 'hnsw') return HnswIndex.build(vectors, {}, staged(hooks, 'graph'));
    if (method === 'cluster') return openClusters(vectors, parts, hooks);
    return new ExactIndex(vectors);
  }
}

/** Clusters of the vectors, from the cache where that holds them. */
export async function openClusters(
  vectors: VectorTable,
  { indexCache, clusters = {}, sampling }: LocalParts,
  { onProgress, signal }: LocalHooks,
): Promise<ClusterIndex> {
  const identity = indexCache ? await clusterIdentity(vectors, clusters) : '';
  const stored = await indexCache?.read(identity);
  if (stored) {
    try {
      return new ClusterIndex(decodeClusters(stored, identity), sampling);
    } catch {
      // A cache that cannot be read is written again.
    }
  }
  const built = await buildClusters(vectors, clusters, {
    pause: createTurns(signal),
    ...(signal && { signal }),
    onProgress: (_, done, total) => onProgress?.('clusters', done, total),
  });
  await indexCache?.write(identity, encodeClusters(built, identity));
  return new ClusterIndex(built, sampling);
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

function describe(
  method: LocalMethod,
  encoder: CacheableEncoder | null,
  reranker: Reranker | null,
  clusters: ClusterIndex | null,
): string {
  const found: Record<LocalMethod, string> = {
    lexical: 'BM25+',
    flat: `${encoder?.id}, exact scan`,
    hnsw: `${encoder?.id}, HNSW graph`,
    cluster: `${encoder?.id}, ${clusters ? clusters.parts.offsets.length - 1 : 0} clusters`,
    hybrid: `BM25+ and ${encoder?.id}, fused`,
  };
  return reranker ? `${found[method]}, reranked by ${reranker.id}` : found[method];
}
