import { messageOf, reasonOf } from '../../../base/errors.ts';
import { retryAfterMs } from '../../../base/retry-after.ts';
import { sleep } from '../../../base/sleep.ts';
import { EndpointError, faultOfStatus, isPassing } from './errors.ts';

/** HTTP to an OpenAI-compatible server: time-outs, repeats with back-off, words for every failure. */

export interface TransportOptions {
  /** Base address, such as `http://localhost:8080/v1`. */
  url: string;
  model: string;
  /** Read at each call and held nowhere else; empty where the server needs none. */
  key?: () => string;
  /** Requests under way at a time; more wait. */
  concurrency?: number;
  /** Repeats after a failure that may pass. */
  retries?: number;
  /** Milliseconds until the answer must begin, and between two pieces of it. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  now?: () => number;
  random?: () => number;
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const DEFAULTS = { concurrency: 4, retries: 4, timeoutMs: 120_000 };
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** What is read of a refusal. */
const MOST_ERROR_BYTES = 64 * 1024;

async function textOf(response: Response, most: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    text += decoder.decode(part.value, { stream: true });
    if (bytes > most) {
      await reader.cancel();
      break;
    }
  }
  return text;
}

/** Joins a base address and a path, whatever slashes they have. */
export const joinUrl = (base: string, path: string): string =>
  `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;

/** What else a browser may miss: a command asks no server for leave, and has no address that it came from. */
const allowsPage = (): string =>
  typeof location === 'undefined' ? '' : ', and that it allows this page (CORS)';

/** Sends requests to one server; a few at a time, each repeated where that may help. */
export class Transport {
  readonly url: string;
  readonly model: string;
  readonly #options: Required<Omit<TransportOptions, 'url' | 'model'>>;
  #free: number;
  #limit: number;
  /** Since requests go one at a time; requests that began before may still be under way. */
  #narrowed = false;
  readonly #waiting: (() => void)[] = [];

  constructor({ url, model, ...options }: TransportOptions) {
    this.url = url;
    this.model = model;
    this.#options = {
      key: () => '',
      // Unbound, a browser's fetch refuses to be called.
      fetch: (input, init) => fetch(input, init),
      now: () => Date.now(),
      random: () => Math.random(),
      sleep,
      ...DEFAULTS,
      ...options,
    };
    this.#limit = this.#options.concurrency;
    this.#free = this.#limit;
  }

  /**
   * Sends until an answer with status 2xx has begun; a body that is JSON is sent by POST.
   * @returns the answer, and a function that must be called when its body was read
   * @throws EndpointError, or the signal's reason
   */
  async send(
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<{ response: Response; done: () => void; touch: () => void }> {
    await this.#acquire(signal);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      this.#release();
    };
    try {
      const started = await this.#repeat(path, body, signal);
      const done = (): void => {
        started.done();
        release();
      };
      return { ...started, done };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** From here on requests wait for each other. @returns whether that may help: others were under way */
  oneAtATime(): boolean {
    if (this.#narrowed) return true;
    if (this.#limit - this.#free === 0) return false;
    this.#free -= this.#limit - 1;
    this.#limit = 1;
    this.#narrowed = true;
    return true;
  }

  async #repeat(path: string, body: unknown, signal?: AbortSignal) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(path, body, signal);
      } catch (error) {
        if (signal?.aborted) throw reasonOf(signal);
        const again =
          error instanceof EndpointError && isPassing(error) && attempt < this.#options.retries;
        if (!again) throw error;
        await this.#options.sleep(this.#wait(error, attempt), signal);
      }
    }
  }

  /** Doubles, spread over half to all of it so that clients do not knock together. */
  #wait(error: EndpointError, attempt: number): number {
    const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    const spread = backOff * (0.5 + 0.5 * this.#options.random());
    return Math.min(LONGEST_WAIT_MS, Math.max(spread, error.retryAfterMs ?? 0));
  }

  async #once(path: string, body: unknown, signal?: AbortSignal) {
    const { timeoutMs, key, fetch: send, now } = this.#options;
    const url = joinUrl(this.url, path);
    const abort = new AbortController();
    const forward = (): void => abort.abort(reasonOf(signal));
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward, { once: true });
    let late = false;
    const expire = (): void => {
      late = true;
      abort.abort(timeOut(url, timeoutMs));
    };
    let timer = setTimeout(expire, timeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forward);
    };
    const touch = (): void => {
      clearTimeout(timer);
      timer = setTimeout(expire, timeoutMs);
    };
    try {
      const secret = key();
      const response = await send(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(secret !== '' && { Authorization: `Bearer ${secret}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A key goes to the address that the user typed, and nowhere else.
        redirect: 'error',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        signal: abort.signal,
      });
      if (response.ok) return { response, done, touch };
      const words = await textOf(response, MOST_ERROR_BYTES);
      const wait = retryAfterMs(response.headers.get('retry-after'), now());
      throw faultOfStatus(response.status, words, { url, model: this.model }, wait);
    } catch (error) {
      done();
      if (signal?.aborted) throw reasonOf(signal);
      if (late) throw timeOut(url, timeoutMs);
      if (error instanceof EndpointError) throw error;
      throw new EndpointError(
        'unreachable',
        `${url} does not answer (${messageOf(error)}). Check that the server runs${allowsPage()}.`,
      );
    }
  }

  async #acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw reasonOf(signal);
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const at = this.#waiting.indexOf(enter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(reasonOf(signal));
      };
      this.#waiting.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    this.#free += 1;
    while (this.#free > 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#free -= 1;
      next();
    }
  }
}

const timeOut = (url: string, ms: number): EndpointError =>
  new EndpointError('time-out', `${url} was silent for ${Math.round(ms / 1000)} s.`);
