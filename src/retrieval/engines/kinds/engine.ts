import type { EngineHttp, Meter } from '../http/http.ts';
import type { Found } from './passages.ts';

export interface EngineCall {
  query: string;
  /** Most passages wanted, 1 to 50. */
  k: number;
  http: EngineHttp;
  meter: Meter;
  signal?: AbortSignal | undefined;
}

/** One protocol of asking a search engine. */
export interface Engine {
  /** Names protocol and address: part of the key of caches. */
  readonly id: string;
  /** The address that is called first: what a probe asks. */
  readonly address: string;
  /** @returns best first; @throws EngineError; the signal's reason where it was aborted */
  search(call: EngineCall): Promise<Found[]>;
}
