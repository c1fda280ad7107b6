import type { SearchTarget, SourceName } from '../../data/hits.ts';
import type { Retrieval, Retriever } from '../../retrieval/retriever.ts';
import type { RetrievalHostApi } from './retrieval-host.ts';
import type { SupervisedWorker } from './supervised.ts';

/** Calls are numbered over all retrievers: they share a worker. */
let calls = 0;

/** Retrieval behind messages: the side that the agent uses. */
export class RemoteRetriever implements Retriever {
  readonly #host: SupervisedWorker<RetrievalHostApi>;
  readonly #key: string;

  /** @param key of the retriever that was opened there */
  constructor(host: SupervisedWorker<RetrievalHostApi>, key: string) {
    this.#host = host;
    this.#key = key;
  }

  /** Names of the question that no passage of these sources mentions. */
  unknownNames(question: string, sources: readonly SourceName[]): Promise<string[]> {
    return this.#host.call((api) => api.unknownNames(this.#key, question, sources));
  }

  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    signal?.throwIfAborted();
    const call = ++calls;
    const abort = () => void this.#host.call((api) => api.abort(call)).catch(() => undefined);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#host.call((api) => api.search(call, this.#key, source, query, k));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}
