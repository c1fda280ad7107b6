import type { Hit, SearchTarget, SourceName } from '../records/hits.ts';

/** What the agent needs of retrieval. */

export interface Retrieval {
  query: string;
  source: SearchTarget;
  hits: Hit[];
  /** Wall time of the call in milliseconds, the added delay included. */
  latencyMs: number;
  /** The part of latencyMs that the user asked to be added. */
  addedDelayMs: number;
  /** Files and bytes fetched by this call (web). */
  requests?: number;
  bytes?: number;
  /** Sources of `both` that failed while the other one answered. */
  failures?: SourceFailure[];
}

export interface SourceFailure {
  source: SourceName;
  message: string;
}

export interface Retriever {
  /**
   * The same sources with the local one searched by another method (`methods/list.ts`), which is opened
   * when it is first asked, once; absent if the sources cannot be opened again.
   */
  by?(method: string): Retriever;
  /**
   * What one more rollout searches until it leaves, where sources tell those of a batch apart; called as each begins, in
   * the order of the batch.
   */
  join?(): { retriever: Retriever; leave: () => void };
  search(source: SearchTarget, query: string, k: number, signal?: AbortSignal): Promise<Retrieval>;
}

/** A retriever that is opened when it is first asked, and again after it could not be. */
function lazyRetriever(open: () => Promise<Retriever>): Retriever {
  let opening: Promise<Retriever> | null = null;
  return {
    async search(source, query, k, signal) {
      opening ??= open();
      const opened = await opening.catch(forget);
      return opened.search(source, query, k, signal);
    },
  };

  function forget(error: unknown): never {
    opening = null;
    throw error;
  }
}

/**
 * The retriever that searches by a recipe's `retrieval.method`; `setup` leaves it as it is.
 * @throws Error where these sources cannot be opened again
 */
export function retrieverByMethod(retriever: Retriever, method: string): Retriever {
  if (method === 'setup') return retriever;
  if (!retriever.by)
    throw new Error(
      `These sources cannot be searched by "${method}"; leave retrieval.method out to search them as they were opened.`,
    );
  return retriever.by(method);
}

/** `by` for sources that can be opened by any method: each is opened once. */
export function openByMethod(
  open: (method: string) => Promise<Retriever>,
): (method: string) => Retriever {
  const known = new Map<string, Retriever>();
  return (method) => {
    const found = known.get(method) ?? lazyRetriever(() => open(method));
    known.set(method, found);
    return found;
  };
}
