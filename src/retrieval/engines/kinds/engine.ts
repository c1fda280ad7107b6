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

/** A kind of search engine: what `list.ts` holds, forms show and setups are checked against. */
export interface EngineKind {
  /** As setups, permalinks and stored runs name it. */
  id: string;
  /** As menus show it. */
  name: string;
  /** What it is, in one sentence. */
  about: string;
  /** What its address looks like. */
  example: string;
  /**
   * Path of the call: one that servers of this kind all have, or how it is found from the address that
   * was typed, often that of the front page.
   */
  path: string | ((typed: URL) => string);
  /** How an address of this kind looks, in a sentence: advice where a server has no such call. */
  addressAdvice: string;
  /** How to configure its server so that pages may read its answers (CORS). */
  corsAdvice: string;
  /** What 403 means where it is more than a missing login. */
  forbidden?: { said: string; advice: string };
  /** Nothing is asked before the first search. @param url address of the call, or of the instance */
  open: (url: string) => Engine;
}
