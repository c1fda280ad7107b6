import type { z } from 'zod';
import { retryAfterMs } from '../../../base/retry-after.ts';
import { sleep } from '../../../base/sleep.ts';
import { EngineError } from './errors.ts';
import { HostGates, type GateClock } from './gate.ts';
import { placeOf, wordsOf } from '../../../base/errors.ts';

/** One polite call after another: turn, time-out, size cap, retries with back-off, checked answer. */

export interface HttpDeps extends GateClock {
  fetch: typeof fetch;
  /** Uniform in [0, 1): jitter of the back-off. */
  random(): number;
}

export interface HttpLimits {
  /** Of one try, the body included. */
  timeoutMs: number;
  /** Of one answer, decoded. */
  maxBytes: number;
  /** Tries after the first, where the fault may pass. */
  retries: number;
  /** Longest wait before the first retry; doubled for each further one. */
  backoffMs: number;
  maxBackoffMs: number;
  /** A server that asks for more rest than this is not waited for. */
  maxRestMs: number;
  concurrency: number;
  intervalMs: number;
}

const HTTP_LIMITS: HttpLimits = {
  timeoutMs: 15_000,
  maxBytes: 4 * 2 ** 20,
  retries: 2,
  backoffMs: 500,
  maxBackoffMs: 8_000,
  maxRestMs: 30_000,
  concurrency: 4,
  intervalMs: 50,
};

export const systemDeps = (): HttpDeps => ({
  fetch: (...args) => fetch(...args),
  now: () => performance.now(),
  sleep,
  random: Math.random,
});

export interface HttpCall {
  url: string;
  headers?: Record<string, string>;
  /** Posted as JSON; a GET without it. */
  body?: unknown;
}

/** What one search has used so far. */
export interface Meter {
  requests: number;
  /** Of answers, as far as they were read, decoded. */
  bytes: number;
}

/** Reads a checked answer; may throw an EngineError of its own. */
export type ReadAnswer<T> = (value: unknown, headers: Headers) => T;

/** @throws EngineError that names the first place where the value is not what the schema says */
export function checked<T>(schema: z.ZodType<T>, value: unknown, who: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue ? placeOf(issue) : '';
  const where = place === '' ? '' : ` at ${place}`;
  throw new EngineError(
    'wrong-shape',
    `the answer does not have the format of ${who}${where}: ${issue ? wordsOf(issue) : 'wrong shape'}`,
  );
}

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

export class EngineHttp {
  readonly limits: HttpLimits;
  readonly #deps: HttpDeps;
  readonly #gates: HostGates;

  constructor(deps: HttpDeps, limits: Partial<HttpLimits> = {}, gates?: HostGates) {
    this.#deps = deps;
    this.limits = { ...HTTP_LIMITS, ...limits };
    this.#gates = gates ?? new HostGates(this.limits, deps);
  }

  /**
   * @param meter counts every try
   * @throws EngineError; the signal's reason where it was aborted
   */
  async json<T>(
    call: HttpCall,
    read: ReadAnswer<T>,
    meter: Meter,
    signal?: AbortSignal,
  ): Promise<T> {
    const gate = this.#gates.of(call.url);
    for (let attempt = 0; ; attempt++) {
      const leave = await gate.enter(signal);
      let fault: EngineError;
      try {
        const { value, headers } = await this.#once(call, meter, signal);
        return read(value, headers);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        fault = error;
      } finally {
        leave();
      }
      const restMs = fault.retryAfterMs ?? 0;
      if (restMs > 0) gate.rest(Math.min(restMs, this.limits.maxRestMs));
      const again = fault.transient && attempt < this.limits.retries;
      if (!again || restMs > this.limits.maxRestMs) throw fault;
      await this.#deps.sleep(this.#backoff(attempt), signal);
    }
  }

  /** Between half and all of the doubled wait, so that calls that failed together come back apart. */
  #backoff(attempt: number): number {
    const { backoffMs, maxBackoffMs } = this.limits;
    return Math.min(maxBackoffMs, backoffMs * 2 ** attempt) * (0.5 + this.#deps.random() / 2);
  }

  async #once(
    { url, headers = {}, body }: HttpCall,
    meter: Meter,
    signal: AbortSignal | undefined,
  ): Promise<{ value: unknown; headers: Headers }> {
    const { timeoutMs } = this.limits;
    const timeout = AbortSignal.timeout(timeoutMs);
    meter.requests += 1;
    try {
      const response = await this.#deps.fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Accept: 'application/json',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      if (!response.ok) throw await this.#refusal(response, meter);
      const text = decode(await this.#bytes(response, meter));
      return { value: parse(text), headers: response.headers };
    } catch (error) {
      if (error instanceof EngineError) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted)
        throw new EngineError('timeout', `no answer within ${timeoutMs / 1000} s`, {
          transient: true,
          cause: error,
        });
      throw new EngineError('unreachable', `${new URL(url).host} could not be reached`, {
        transient: true,
        cause: error,
      });
    }
  }

  async #bytes(response: Response, meter: Meter, most = this.limits.maxBytes): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    const reader = response.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) break;
      length += part.value.length;
      meter.bytes += part.value.length;
      if (length > most) {
        await reader?.cancel().catch(() => undefined);
        throw new EngineError('too-large', `the answer has more than ${most} bytes`);
      }
      parts.push(part.value);
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  async #refusal(response: Response, meter: Meter): Promise<EngineError> {
    const { status } = response;
    const rest = retryAfterMs(response.headers.get('Retry-After'), Date.now());
    const said = await this.#bytes(response, meter, 2 ** 14).then(
      (bytes) => plainStart(new TextDecoder().decode(bytes)),
      () => '',
    );
    return new EngineError('http', `HTTP ${status}${said === '' ? '' : `: ${said}`}`, {
      status,
      transient: TRANSIENT_STATUS.has(status),
      ...(rest === null ? {} : { retryAfterMs: rest }),
    });
  }
}

/** The beginning of an error page, where it is text and not markup. */
const plainStart = (text: string): string =>
  /<\w/.test(text) ? '' : text.replace(/\s+/gu, ' ').trim().slice(0, 160);

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new EngineError('not-json', 'the answer is not UTF-8 text', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const html = /^\s*</.test(text);
    throw new EngineError('not-json', `the answer is ${html ? 'a web page' : 'text'}, not JSON`, {
      cause,
    });
  }
}
