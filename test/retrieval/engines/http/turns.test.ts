import { describe, expect, test, vi } from 'vitest';
import { retryAfterMs } from '../../../../src/base/retry-after.ts';
import { HostGate, HostGates } from '../../../../src/retrieval/engines/http/gate.ts';
import {
  EngineHttp,
  systemDeps,
  type HttpCall,
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

function client(fetch: HttpDeps['fetch'], limits: Partial<HttpLimits> = {}, jitter = 0) {
  const clock = virtualClock();
  const deps = { ...clock, now: () => clock.at, fetch, random: () => jitter };
  const http = new EngineHttp(deps, { intervalMs: 0, ...limits });
  const meter: Meter = { requests: 0, bytes: 0 };
  const get = (signal?: AbortSignal, call: Partial<HttpCall> = {}): Promise<unknown> =>
    http.json({ url: 'http://engine.test/x', ...call }, (value) => value, meter, signal);
  return { clock, get, meter, http };
}
const always =
  (reply: () => Response): HttpDeps['fetch'] =>
  () =>
    Promise.resolve(reply());
const busy =
  (status: number, headers = {}, body = 'busy') =>
  () =>
    new Response(body, { status, headers });

describe('waits between tries', () => {
  test('double up to the longest, half of each by chance', async () => {
    const limits = { retries: 6, backoffMs: 500, maxBackoffMs: 8000 };
    const whole = client(always(busy(503)), limits, 1);
    await expect(whole.get()).rejects.toThrow('HTTP 503');
    expect(whole.clock.slept).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    const half = client(always(busy(503)), limits, 0);
    await expect(half.get()).rejects.toThrow('HTTP 503');
    expect(half.clock.slept).toEqual([250, 500, 1000, 2000, 4000, 4000]);
    expect(half.meter.requests).toBe(7);
  });

  test.each([
    [408, 3],
    [425, 3],
    [429, 3],
    [500, 3],
    [502, 3],
    [503, 3],
    [504, 3],
    [501, 1],
    [505, 1],
    [409, 1],
  ])('status %i: %i tries', async (status, tries) => {
    const { get, meter } = client(always(busy(status)));
    await expect(get()).rejects.toMatchObject({ status, transient: tries === 3 });
    expect(meter.requests).toBe(tries);
  });

  test('a server that asks for rest gets it from all callers, but not for longer than the most', async () => {
    const asks = client(always(busy(503, { 'Retry-After': '30' })), { retries: 1 });
    await expect(asks.get()).rejects.toMatchObject({ retryAfterMs: 30_000 });
    // The back-off of 250 ms, and what is then left of the rest; the next caller waits the same.
    expect(asks.clock.slept).toEqual([250, 29_750]);
    const longer = client(always(busy(503, { 'Retry-After': '31' })));
    await expect(longer.get()).rejects.toMatchObject({ retryAfterMs: 31_000 });
    expect(longer.meter.requests).toBe(1);
    expect(longer.clock.slept).toEqual([]);
    await expect(longer.get()).rejects.toThrow('503');
    expect(longer.clock.slept).toEqual([30_000]);
  });

  test('no rest is none', async () => {
    const { get, clock } = client(always(busy(503, { 'Retry-After': '0' })), { retries: 1 });
    await expect(get()).rejects.toMatchObject({ retryAfterMs: 0 });
    expect(clock.slept).toEqual([250]);
  });

  test.each([
    ['1234567890', null],
    ['12x', null],
    ['x12', null],
    [' 7\t', 7000],
  ])('Retry-After %j is %j ms', (value, ms) => expect(retryAfterMs(value, 0)).toBe(ms));
});

describe('turns at one host', () => {
  test('a call that failed gives its place back', async () => {
    const { get } = client(always(busy(404)), { concurrency: 1 });
    await expect(get()).rejects.toThrow('404');
    await expect(get()).rejects.toThrow('404');
  });

  test('hosts are apart; addresses of one host are together', async () => {
    const clock = virtualClock();
    const gates = new HostGates(
      { concurrency: 1, intervalMs: 100 },
      { ...clock, now: () => clock.at },
    );
    expect(gates.of('http://a.test/x')).toBe(gates.of('https://a.test/y?z'));
    expect(gates.of('http://a.test:81/x')).not.toBe(gates.of('http://a.test/x'));
    (await gates.of('http://a.test').enter())();
    (await gates.of('http://b.test').enter())();
    expect(clock.at).toBe(0);
    (await gates.of('http://a.test').enter())();
    expect(clock.at).toBe(100);
  });

  test('clients that share gates share their turns', async () => {
    const clock = virtualClock();
    const deps = {
      ...clock,
      now: () => clock.at,
      fetch: always(() => Response.json(1)),
      random: () => 0,
    };
    const gates = new HostGates({ concurrency: 1, intervalMs: 100 }, deps);
    for (let i = 0; i < 2; i++)
      await new EngineHttp(deps, {}, gates).json({ url: 'http://a.test' }, (value) => value, {
        requests: 0,
        bytes: 0,
      });
    expect(clock.at).toBe(100);
  });

  test('the longest rest that was asked for holds', async () => {
    const clock = virtualClock();
    const gate = new HostGate({ concurrency: 1, intervalMs: 0 }, { ...clock, now: () => clock.at });
    gate.rest(500);
    gate.rest(200);
    (await gate.enter())();
    expect(clock.slept).toEqual([500]);
    (await gate.enter())();
    expect(clock.slept).toEqual([500]);
  });

  test('who is gone before its turn takes none, neither in the queue nor at the clock', async () => {
    const clock = virtualClock();
    const gate = new HostGate(
      { concurrency: 1, intervalMs: 100 },
      { ...clock, now: () => clock.at },
    );
    await expect(gate.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    (await gate.enter())();
    // Its turn would be in 100 ms.
    const stop = new AbortController();
    const waiting = new HostGate(
      { concurrency: 1, intervalMs: 100 },
      {
        now: () => 0,
        sleep: async (_, signal) => {
          stop.abort(new Error('left'));
          signal?.throwIfAborted();
        },
      },
    );
    (await waiting.enter())();
    await expect(waiting.enter(stop.signal)).rejects.toThrow('left');
    // Its place is free: the next one gets as far as the clock.
    const next = waiting.enter(AbortSignal.any([stop.signal]));
    await expect(next).rejects.toThrow('left');
  });

  test('a place given up while waiting is not lost, and a late abort does no harm', async () => {
    const gate = new HostGate({ concurrency: 1, intervalMs: 0 }, virtualClock());
    const leave = await gate.enter();
    const [a, b, c] = [new AbortController(), new AbortController(), new AbortController()];
    const entered: string[] = [];
    const first = gate.enter(a.signal).then((out) => (entered.push('a'), out));
    const second = gate.enter(b.signal).then((out) => (entered.push('b'), out));
    const third = gate.enter(c.signal).then((out) => (entered.push('c'), out));
    b.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    leave();
    const out = await first;
    // It is in: leaving the queue is no longer possible, and nobody else is pushed out of it.
    a.abort(new Error('late'));
    out();
    (await third)();
    expect(entered).toEqual(['a', 'c']);
  });
});

test('the system’s own clock, chance and network', async () => {
  const deps = systemDeps();
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(1));
  await deps.fetch('http://a.test', { method: 'GET' });
  expect(fetched).toHaveBeenCalledWith('http://a.test', { method: 'GET' });
  fetched.mockRestore();
  const start = deps.now();
  await deps.sleep(15);
  expect(deps.now() - start).toBeGreaterThan(10);
  expect(deps.random()).toBeLessThan(1);
});
