import type { Hit, SearchTarget } from '../records/hits.ts';
import type { Passage } from '../records/records.ts';
import { fuse, RRF_K } from './fusion.ts';
import { LexicalIndex } from './lexical/lexical.ts';
import { itemAt, present } from '../base/items.ts';
import type { Retriever, SourceFailure } from './retriever.ts';
import { sleep } from '../base/sleep.ts';
import { compareCodeUnits } from './lexical/text.ts';
import { contentKey, type Source, type SourceResult } from './sources.ts';

/**
 * How hits of different sources are compared. `similarity`: by their cosines, where one encoder made
 * all of them; `words`: by BM25+ among the hits themselves.
 */
type Comparison = 'similarity' | 'words';

export interface RetrieverParts {
  local: Source;
  web: Source;
  /** `words` by default; also where a hit has no similarity. */
  compareBy?: Comparison;
  /** Constant of the fusion of the two sources' lists. */
  rrfK?: number;
  /** Milliseconds added to calls that ask the web, reported as added. */
  webDelayMs?: () => number;
  /** Clock in milliseconds. */
  now?: () => number;
}

/** One retriever over the two sources. `both` asks them at the same time and fuses their lists. */
export function createRetriever(parts: RetrieverParts): Retriever {
  const { local, web, webDelayMs = () => 0, now = () => performance.now() } = parts;
  const { rrfK = RRF_K, compareBy = 'words' } = parts;
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
    const hits = combine(results, query, { rrfK, compareBy }).slice(0, k);
    return { hits, ...totals(results), failures };
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
        requests,
        bytes,
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
  const failures = outcomes.flatMap((one, i) =>
    one.status === 'rejected'
      ? [{ name: itemAt(sources, i).name, reason: one.reason as unknown }]
      : [],
  );
  if (results.length === 0) throw itemAt(failures, 0).reason;
  return [
    results,
    failures.map(({ name, reason }) => ({ source: name, message: reasonOf(reason) })),
  ];
}

/**
 * RRF over the sources' lists and one list of all hits: ranks in different corpora say nothing of one
 * another, and a source that lacks the passage still has a first hit. In the list of all every hit has
 * a place, whichever source it is of and however that one searches. The hit of the first list that
 * holds a passage is kept.
 */
function combine(
  results: readonly SourceResult[],
  query: string,
  { rrfK, compareBy }: { rrfK: number; compareBy: Comparison },
): Hit[] {
  const hits = new Map<string, Hit>();
  for (const hit of results.flatMap((result) => result.hits)) {
    const key = contentKey(hit.passage);
    if (!hits.has(key)) hits.set(key, hit);
  }
  const lists = results.map((result) => result.hits.map((hit) => contentKey(hit.passage)));
  const similar = compareBy === 'similarity' ? bySimilarity(hits) : null;
  return fuse([...lists, similar ?? byWords(query, hits)], rrfK).map(({ key, score }) => ({
    ...present(hits.get(key), 'a hit'),
    score,
  }));
}

/** Keys, most similar first, ties by key; null where the similarity of one is not known. */
function bySimilarity(hits: ReadonlyMap<string, Hit>): string[] | null {
  const known = [...hits].flatMap(([key, { similarity }]) =>
    similarity === undefined ? [] : [{ key, similarity }],
  );
  if (known.length < hits.size) return null;
  return known
    .sort((a, b) => b.similarity - a.similarity || compareCodeUnits(a.key, b.key))
    .map(({ key }) => key);
}

/** Keys by how rare, among the hits, the words are that they share with the query; last those that share none. */
function byWords(query: string, hits: ReadonlyMap<string, Hit>): string[] {
  // Passages of different sources may have one id: here the key is the id, by which ties are ordered.
  const passages = [...hits].map(([key, { passage }]): Passage => ({ ...passage, id: key }));
  const found = new LexicalIndex(passages)
    .search(query, passages.length)
    .map(({ passage }) => passage.id);
  const rest = [...hits.keys()].filter((key) => !found.includes(key)).sort(compareCodeUnits);
  return [...found, ...rest];
}

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
