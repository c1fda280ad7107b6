import { oneLine } from '../../../base/errors.ts';

/** What went wrong between this page and a search engine. */
export type EngineFault =
  /** No answer that the page may read: refused, no such host, no network, or a CORS refusal. */
  | 'unreachable'
  | 'timeout'
  /** The server answered with a status of 400 or more. */
  | 'http'
  | 'too-large'
  | 'not-json'
  /** JSON, but not what the protocol promises. */
  | 'wrong-shape'
  /** The engine's own error, in the engine's own words. */
  | 'engine';

export interface EngineErrorFacts {
  status?: number;
  /** How long the server asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** Another try may succeed. */
  transient?: boolean;
  cause?: unknown;
}

/** The only error that a search engine's client throws, except for the reason of an aborted signal. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly fault: EngineFault;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly transient: boolean;

  constructor(fault: EngineFault, message: string, facts: EngineErrorFacts = {}) {
    // An engine's words may hold anything; the message stays one readable line.
    super(oneLine(message), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.fault = fault;
    this.status = facts.status ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.transient = facts.transient ?? false;
  }
}
