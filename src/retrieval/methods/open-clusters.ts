import { createTurns } from '../../base/turns.ts';
import { buildClusters, type ClusterParts } from '../cluster/build.ts';
import { clusterIdentity, decodeClusters, encodeClusters } from '../cluster/file.ts';
import { ClusterIndex } from '../cluster/cluster-index.ts';
import { learnedIdentity } from '../cluster/learned.ts';
import { LiveClusters } from '../cluster/live.ts';
import type { VectorTable } from '../dense/dense.ts';
import type { IndexCache, LocalHooks, LocalParts } from './method.ts';

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
