import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../../src/retrieval/engines/http/errors.ts';
import { HostGate } from '../../../../src/retrieval/engines/http/gate.ts';
import {
  EngineHttp,
  type HttpDeps,
  type HttpLimits,
  type Meter,
} from '../../../../src/retrieval/engines/http/http.ts';

/** A clock that jumps: sleeping is what moves it. */
function virtualClock() {
  const clock = {
    at: 0,
    slept: [] as number[],
    now: () => clock.at,
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      signal?.throwIfAborted();
      clock.slept.push(ms);
      await Promise.resolve();
      clock.at += ms;
    },
  };
  return clock;
}

const LIMITS: Partial<HttpLimits> = { intervalMs: 0, timeoutMs: 60, backoffMs: 100 };

function client(fetch: HttpDeps['fetch'], limits: Partial<HttpLimits> = {}) {
  const clock = virtualClock();
  const http = new EngineHttp({ ...clock, fetch, random: () => 0 }, { ...LIMITS, ...limits });
  const meter: Meter = { requests: 0, bytes: 0 };
  const get = (signal?: AbortSignal): Promise<unknown> =>
    http.json({ url: 'http://engine.test/x' }, (value) => value, meter, signal);
  return { clock, get, meter };
}

const answers =
  (...replies: (() => Response)[]): HttpDeps['fetch'] =>
  () =>
    Promise.resolve((replies.length > 1 ? replies.shift() : replies[0])!());

const ok = (): Response => Response.json({ fine: true });
const status =
  (code: number, headers = {}) =>
  (): Response =>
    new Response('busy', { status: code, headers });

const hangs: HttpDeps['fetch'] = (_, init) =>
  new Promise((_resolve, reject) => {
    if (init?.signal?.aborted) reject(init.signal.reason as Error);
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
  });

describe('a call', () => {
  it('is tried again after 429, 500, 502, 503 and 504, each wait twice the one before', async () => {
    for (const code of [429, 500, 502, 503, 504]) {
      const { clock, get, meter } = client(answers(status(code), status(code), ok));
      expect(await get()).toEqual({ fine: true });
      // Without jitter half of 100 ms, then of 200 ms.
      expect(clock.slept).toEqual([50, 100]);
      expect(meter.requests).toBe(3);
    }
  });

  it('is not tried again after what another try would not change', async () => {
    for (const code of [400, 401, 403, 404, 422]) {
      const { get, meter } = client(answers(status(code), ok));
      await expect(get()).rejects.toMatchObject({ fault: 'http', status: code });
      expect(meter.requests).toBe(1);
    }
  });

  it('gives up after its retries, and counts every try and byte', async () => {
    const { get, meter } = client(answers(status(503)), { retries: 2 });
    await expect(get()).rejects.toMatchObject({ status: 503, message: 'HTTP 503: busy' });
    expect(meter).toEqual({ requests: 3, bytes: 12 });
  });

  it('waits as long as the server asks, and not for one that asks for too much', async () => {
    const polite = client(answers(status(429, { 'Retry-After': '7' }), ok));
    await polite.get();
    expect(polite.clock.at).toBeGreaterThanOrEqual(7000);
    const long = client(answers(status(429, { 'Retry-After': '600' }), ok));
    await expect(long.get()).rejects.toMatchObject({ status: 429, retryAfterMs: 600_000 });
    expect(long.meter.requests).toBe(1);
  });

  it('ends at its time-out', async () => {
    const { get } = client(hangs, { retries: 0 });
    await expect(get()).rejects.toMatchObject({ fault: 'timeout', transient: true });
  });

  it('ends with the reason of its caller', async () => {
    const { get } = client(hangs, { timeoutMs: 5000 });
    const controller = new AbortController();
    const call = get(controller.signal);
    controller.abort(new Error('not wanted'));
    await expect(call).rejects.toThrow('not wanted');
  });

  it('takes no more bytes than allowed, however they come', async () => {
    const endless = (): Response =>
      new Response(
        new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1000).fill(32)) }),
      );
    const { get, meter } = client(answers(endless), { maxBytes: 10_000 });
    await expect(get()).rejects.toMatchObject({ fault: 'too-large' });
    expect(meter.bytes).toBeLessThanOrEqual(11_000);
  });

  it('tells text, markup and broken UTF-8 from JSON', async () => {
    for (const body of ['<!doctype html>', 'fine', '', new Uint8Array([0x22, 0xff, 0x22])])
      await expect(client(answers(() => new Response(body))).get()).rejects.toMatchObject({
        fault: 'not-json',
      });
  });

  it('sends no cookies and no referrer', async () => {
    let init: RequestInit | undefined;
    await client((_, given) => {
      init = given;
      return Promise.resolve(ok());
    }).get();
    expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' });
  });
});

describe('a gate', () => {
  it('starts calls no closer than its interval', async () => {
    const clock = virtualClock();
    const gate = new HostGate({ concurrency: 1, intervalMs: 100 }, clock);
    const starts: number[] = [];
    for (let i = 0; i < 4; i++) {
      const leave = await gate.enter();
      starts.push(clock.at);
      leave();
    }
    expect(starts).toEqual([0, 100, 200, 300]);
  });

  it('lets in as many as it may, in the order in which they came', async () => {
    const gate = new HostGate({ concurrency: 2, intervalMs: 0 }, virtualClock());
    const inside: number[] = [];
    const leaves: (() => void)[] = [];
    const all = [0, 1, 2, 3].map(async (i) => {
      leaves[i] = await gate.enter();
      inside.push(i);
    });
    await Promise.all(all.slice(0, 2));
    expect(inside).toEqual([0, 1]);
    leaves[1]?.();
    await all[2];
    expect(inside).toEqual([0, 1, 2]);
    leaves[0]?.();
    await all[3];
    expect(inside).toEqual([0, 1, 2, 3]);
  });

  it('gives the place of one who left the queue to the next', async () => {
    const gate = new HostGate({ concurrency: 1, intervalMs: 0 }, virtualClock());
    const leave = await gate.enter();
    const controller = new AbortController();
    const leaving = gate.enter(controller.signal);
    const next = gate.enter();
    controller.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    leave();
    (await next)();
    (await gate.enter())();
  });

  it('rests when told, also those who were waiting already', async () => {
    const clock = virtualClock();
    const gate = new HostGate({ concurrency: 1, intervalMs: 0 }, clock);
    gate.rest(500);
    (await gate.enter())();
    expect(clock.at).toBe(500);
  });
});

it('an engine error keeps its facts', () => {
  const cause = new Error('x');
  expect(new EngineError('http', 'm', { status: 418, cause })).toMatchObject({
    fault: 'http',
    status: 418,
    retryAfterMs: null,
    transient: false,
    cause,
  });
});
