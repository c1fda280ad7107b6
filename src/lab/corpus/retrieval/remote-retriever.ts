import type { SearchTarget, SourceName } from '../../../records/hits.ts';
import type { Retrieval, Retriever } from '../../../retrieval/retriever.ts';
import type { RetrievalHostApi } from '../../ask/retrieval-api.ts';
import type { SupervisedWorker } from '../../workers/supervised.ts';

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
  unknownNames(
    question: string,
    sources: readonly SourceName[],
    signal?: AbortSignal,
  ): Promise<string[]> {
    return this.#stoppable(signal, (call) =>
      this.#host.call((api) => api.unknownNames(call, this.#key, question, sources)),
    );
  }

  search(source: SearchTarget, query: string, k: number, signal?: AbortSignal): Promise<Retrieval> {
    return this.#stoppable(signal, (call) =>
      this.#host.call((api) => api.search(call, this.#key, source, query, k)),
    );
  }

  /** Makes a call; the worker is told where it is not wanted any more. */
  async #stoppable<T>(
    signal: AbortSignal | undefined,
    make: (call: number) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const call = ++calls;
    const abort = () => void this.#host.call((api) => api.abort(call)).catch(() => undefined);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await make(call);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}
