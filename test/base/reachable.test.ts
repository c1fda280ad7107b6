import { describe, expect, it } from 'vitest';
import { isReachable, type OpenStream } from '../../src/base/reachable.ts';

/** An event stream whose next event the test decides. */
class Stream implements ReturnType<OpenStream> {
  readyState = 0;
  closed = false;
  readonly #listeners = new Map<string, () => void>();
  addEventListener(type: string, listener: () => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.closed = true;
  }
  fire(type: 'open' | 'error', readyState: number): void {
    this.readyState = readyState;
    this.#listeners.get(type)?.();
  }
}

const refused = (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'));
const ADDRESS = 'http://127.0.0.1:9/';

describe('a server is there', () => {
  it('where a call is answered at all, sent without key, cookies or address of the page', async () => {
    const calls: RequestInit[] = [];
    const answered = (_: string, init: RequestInit): Promise<Response> => {
      calls.push(init);
      return Promise.resolve(Response.error());
    };
    expect(await isReachable(ADDRESS, answered, null)).toBe(true);
    expect(calls).toMatchObject([
      { mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' },
    ]);
  });

  it.each([
    ['opens', 'open', 1, true],
    // 2 is CLOSED: an answer came that the page may not read.
    ['is given up for good', 'error', 2, true],
    // 0 is CONNECTING: the platform will try again.
    ['is tried again', 'error', 0, false],
  ] as const)('by an event stream that %s', async (_, type, readyState, there) => {
    const stream = new Stream();
    const asked = isReachable(ADDRESS, refused, () => {
      queueMicrotask(() => stream.fire(type, readyState));
      return stream;
    });
    expect(await asked).toBe(there);
    expect(stream.closed).toBe(true);
  });

  it('is not known where nobody answers and there are no event streams', async () => {
    expect(await isReachable(ADDRESS, refused, null)).toBe(false);
  });

  it('is asked no more once the caller has given up', async () => {
    const stop = new AbortController();
    const stream = new Stream();
    const asked = isReachable(ADDRESS, refused, () => stream, stop.signal);
    setTimeout(() => stop.abort(new Error('closed')), 5);
    await expect(asked).rejects.toThrow('closed');
    expect(stream.closed).toBe(true);
  });
});
