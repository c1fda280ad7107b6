import type { SearchTarget } from '../../data/hits.ts';
import type { Retrieval, Retriever } from '../../retrieval/retriever.ts';
import type { RetrievalHostApi } from './retrieval-host.ts';
import type { SupervisedWorker } from './supervised.ts';

/** Retrieval behind messages: the side that the agent uses. */
export class RemoteRetriever implements Retriever {
  readonly #host: SupervisedWorker<RetrievalHostApi>;
  #calls = 0;

  constructor(host: SupervisedWorker<RetrievalHostApi>) {
    this.#host = host;
  }

  async search(
    source: SearchTarget,
    query: string,
    k: number,
    signal?: AbortSignal,
  ): Promise<Retrieval> {
    signal?.throwIfAborted();
    const call = ++this.#calls;
    const abort = () => void this.#host.call((api) => api.abort(call)).catch(() => undefined);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#host.call((api) => api.search(call, source, query, k));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}
