import type { Hit, SearchTarget } from '../data/hits.ts';
import { fuse, RRF_K } from './fusion.ts';
import type { Retriever, SourceFailure } from './retriever.ts';
import { sleep } from './sleep.ts';
import { compareCodeUnits } from './text.ts';
import { contentKey, type Source, type SourceResult } from './sources.ts';

export interface RetrieverParts {
  local: Source;
  web: Source;
  /** Constant of the fusion of the two sources' lists. */
  rrfK?: number;
  /** Milliseconds added to calls that ask the web, reported as added. */
  webDelayMs?: () => number;
  /** Clock in milliseconds. */
  now?: () => number;
}

/** One retriever over the two sources. `both` asks them at the same time and fuses their lists. */
export function createRetriever(parts: RetrieverParts): Retriever {
  const { local, web, rrfK = RRF_K, webDelayMs = () => 0, now = () => performance.now() } = parts;
  const ask = async (
    target: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<SourceResult & { failures?: SourceFailure[] }> => {
    if (target === 'local') return local.search(query, k, signal);
    if (target === 'web') return web.search(query, k, signal);
    // Each list is asked for k more than needed to have enough after duplicates are dropped.
    const asked = [local, web].map(async (source) => source.search(query, 2 * k, signal));
    const [results, failures] = await settled([local, web], asked, signal);
    return { ...combine(results, k, rrfK), failures };
  };
  return {
    async search(source, query, k, signal) {
      signal?.throwIfAborted();
      const start = now();
      const addedDelayMs = source === 'local' ? 0 : Math.max(0, webDelayMs());
      if (addedDelayMs > 0) await sleep(addedDelayMs, signal);
      const { hits, requests, bytes, failures = [] } = await ask(source, query, k, signal);
      signal?.throwIfAborted();
      return {
        query,
        source,
        hits: dropDuplicates(hits).slice(0, k),
        latencyMs: now() - start,
        addedDelayMs,
        ...(requests !== undefined && { requests }),
        ...(bytes !== undefined && { bytes }),
        ...(failures.length > 0 && { failures }),
      };
    },
  };
}

const reasonOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : 'it could not be asked';

/**
 * What arrived, and what did not: one source that answers is enough.
 * @throws the first failure where every source failed; the signal's reason where it was aborted
 */
async function settled(
  sources: readonly Source[],
  asked: readonly Promise<SourceResult>[],
  signal: AbortSignal | undefined,
): Promise<[SourceResult[], SourceFailure[]]> {
  const outcomes = await Promise.allSettled(asked);
  signal?.throwIfAborted();
  const results = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const reasons = outcomes.map((one): unknown => (one.status === 'rejected' ? one.reason : null));
  if (results.length === 0) throw reasons[0];
  const failures = sources.flatMap(({ name }, i): SourceFailure[] => {
    const reason = reasons[i];
    if (reason === null) return [];
    return [{ source: name, message: reasonOf(reason) }];
  });
  return [results, failures];
}

/**
 * RRF over the sources' lists and, where similarities are known, over one list of all hits by
 * similarity: ranks in different corpora say nothing of one another, and a source that lacks the
 * passage still has a first hit. The hit of the first list that holds a passage is kept.
 */
function combine(results: readonly SourceResult[], k: number, rrfK: number): SourceResult {
  const hits = new Map<string, Hit>();
  for (const hit of results.flatMap((result) => result.hits)) {
    const key = contentKey(hit.passage);
    if (!hits.has(key)) hits.set(key, hit);
  }
  const lists = results.map((result) => result.hits.map((hit) => contentKey(hit.passage)));
  const fused = fuse([...lists, bySimilarity(hits)], rrfK)
    .slice(0, k)
    .flatMap(({ key, score }): Hit[] => {
      const hit = hits.get(key);
      return hit ? [{ ...hit, score }] : [];
    });
  return { hits: fused, ...totals(results) };
}

/** Keys of the hits whose similarity is known, most similar first, ties by key. */
const bySimilarity = (hits: ReadonlyMap<string, Hit>): string[] =>
  [...hits]
    .filter(([, { similarity }]) => similarity !== undefined)
    .sort(
      ([aKey, a], [bKey, b]) =>
        (b.similarity ?? 0) - (a.similarity ?? 0) || compareCodeUnits(aKey, bKey),
    )
    .map(([key]) => key);

const totals = (results: readonly SourceResult[]): { requests: number; bytes: number } => ({
  requests: results.reduce((sum, r) => sum + (r.requests ?? 0), 0),
  bytes: results.reduce((sum, r) => sum + (r.bytes ?? 0), 0),
});

function dropDuplicates(hits: readonly Hit[]): Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ passage }) => {
    const key = contentKey(passage);
    const fresh = !seen.has(key);
    seen.add(key);
    return fresh;
  });
}
