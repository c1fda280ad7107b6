import { sha256 } from '../../base/hash.ts';
import { SharedCalls } from '../engines/http/shared-call.ts';
import { LruCache } from '../../base/lru.ts';
import { contentKey } from '../sources.ts';
import type { Draft, Method, Summarizer, Summary, SummaryRequest } from './summarizer.ts';

export interface CacheOptions {
  /** Summaries kept. */
  entries?: number;
  /** Milliseconds, monotonic. */
  now?: () => number;
}

/** Query, passages in their order, and who summarizes: the same summary. */
const keyOf = (method: Method, { query, passages, gold }: SummaryRequest): Promise<string> =>
  sha256(
    JSON.stringify([
      method.id,
      query.trim(),
      passages.map(contentKey),
      ...(method.readsGold && gold ? [gold.answers, gold.supporting, gold.chain] : []),
    ]),
  );

/**
 * A summarizer that keeps what it wrote, by the hash of what it read, and times itself. Equal
 * requests at the same time are one.
 */
export function cachedSummarizer(method: Method, options: CacheOptions = {}): Summarizer {
  const { entries = 512, now = () => performance.now() } = options;
  const cache = new LruCache<Draft>(entries);
  const calls = new SharedCalls<Draft>();
  return {
    id: method.id,
    async summarize(request): Promise<Summary> {
      const start = now();
      const key = await keyOf(method, request);
      request.signal?.throwIfAborted();
      const known = cache.get(key);
      const done = (draft: Draft, cached: boolean): Summary => ({
        ...draft,
        by: method.id,
        cached,
        latencyMs: now() - start,
      });
      if (known) return done(known, true);
      const { value, joined } = await calls.run(
        key,
        async (signal) => {
          const draft = await method.draft({ ...request, signal });
          cache.set(key, draft);
          return draft;
        },
        request.signal,
      );
      return done(value, joined);
    },
  };
}
