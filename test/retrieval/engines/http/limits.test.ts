import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EngineError } from '../../../../src/retrieval/engines/http/errors.ts';
import {
  checked,
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

test('the limits, where nothing else is said', () => {
  const { limits } = new EngineHttp(systemDeps());
  expect(limits).toEqual({
    timeoutMs: 15_000,
    maxBytes: 4_194_304,
    retries: 2,
    backoffMs: 500,
    maxBackoffMs: 8000,
    maxRestMs: 30_000,
    concurrency: 4,
    intervalMs: 50,
  });
});

describe('what is sent', () => {
  const sent = async (call: Partial<HttpCall>) => {
    const calls: [unknown, RequestInit | undefined][] = [];
    const { get } = client((url, init) => {
      calls.push([url, init]);
      return Promise.resolve(Response.json(1));
    });
    await get(undefined, call);
    return calls[0];
  };
  test('is a GET without a body, and a POST of JSON with one', async () => {
    const [url, get] = (await sent({ headers: { X: 'y' } })) ?? [];
    expect(url).toBe('http://engine.test/x');
    expect(get?.method).toBe('GET');
    expect(get?.headers).toEqual({ Accept: 'application/json', X: 'y' });
    expect(get).not.toHaveProperty('body');
    const [, post] = (await sent({ body: { q: ['ä'] } })) ?? [];
    expect(post?.method).toBe('POST');
    expect(post?.body).toBe('{"q":["ä"]}');
    expect(post?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
    });
  });
});

describe('what comes back', () => {
  test('in parts, together', async () => {
    const parts = ['{"a":', '"ö', '"}'].map((part) => new TextEncoder().encode(part));
    const stream = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      );
    const { get, meter } = client(always(stream));
    expect(await get()).toEqual({ a: 'ö' });
    expect(meter).toEqual({ requests: 1, bytes: 10 });
  });

  test.each([
    [10, 10],
    [10, 11],
  ])('at most %i bytes: %i', async (maxBytes, length) => {
    const { get, meter } = client(
      always(() => new Response('1'.repeat(length))),
      {
        maxBytes,
        retries: 0,
      },
    );
    if (length === maxBytes) expect(await get()).toBe(1_111_111_111);
    else {
      await expect(get()).rejects.toMatchObject({
        fault: 'too-large',
        message: 'the answer has more than 10 bytes',
        transient: false,
      });
      expect(meter.bytes).toBe(11);
    }
  });

  test('too much is not read to its end', async () => {
    let cancelled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(8)),
          cancel: () => {
            cancelled++;
            throw new Error('will not stop');
          },
        }),
      );
    const { get } = client(always(endless), { maxBytes: 10 });
    await expect(get()).rejects.toMatchObject({ fault: 'too-large' });
    expect(cancelled).toBe(1);
  });

  test.each([
    ['<!doctype html>', 'the answer is a web page, not JSON'],
    [' \n<html>', 'the answer is a web page, not JSON'],
    ['x <b>', 'the answer is text, not JSON'],
    ['', 'the answer is text, not JSON'],
    [Uint8Array.of(0x22, 0xff, 0x22), 'the answer is not UTF-8 text'],
  ])('%j is no JSON', async (body, message) => {
    const { get, meter } = client(always(() => new Response(body)));
    await expect(get()).rejects.toMatchObject({ fault: 'not-json', message });
    expect(meter.requests).toBe(1);
  });

  test.each([
    [' too \n busy ', 'HTTP 418: too busy'],
    ['', 'HTTP 418'],
    ['<p>too busy</p>', 'HTTP 418'],
    ['1 < 2', 'HTTP 418: 1 < 2'],
    ['x'.repeat(161), `HTTP 418: ${'x'.repeat(160)}`],
    ['y'.repeat(2 ** 14 + 1), 'HTTP 418'],
    ['y'.repeat(2 ** 14), `HTTP 418: ${'y'.repeat(160)}`],
  ])('of a refusal the beginning, where it is text: %#', async (body, message) => {
    const { get } = client(always(busy(418, {}, body)));
    await expect(get()).rejects.toMatchObject({ message, status: 418, retryAfterMs: null });
  });

  test('nobody: the host, and the cause', async () => {
    const cause = new TypeError('Failed to fetch');
    const { get, meter } = client(() => Promise.reject(cause));
    await expect(get()).rejects.toMatchObject({
      fault: 'unreachable',
      message: 'engine.test could not be reached',
      transient: true,
      cause,
    });
    expect(meter.requests).toBe(3);
  });

  test('nothing in time', async () => {
    const hangs: HttpDeps['fetch'] = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
      });
    const { get } = client(hangs, { timeoutMs: 30, retries: 0 });
    await expect(get()).rejects.toMatchObject({
      fault: 'timeout',
      message: 'no answer within 0.03 s',
      transient: true,
    });
  });

  test('a caller who leaves hears its own reason, whatever the call says of it', async () => {
    const hangs: HttpDeps['fetch'] = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new TypeError('aborted')));
      });
    const { get } = client(hangs, { retries: 0 });
    const controller = new AbortController();
    const call = get(controller.signal);
    setTimeout(() => controller.abort(new Error('left')), 5);
    await expect(call).rejects.toThrow('left');
  });

  test('what reading it throws is not tried again, unless it is said to pass', async () => {
    const { http, meter } = client(always(() => Response.json(1)));
    const read = (fault: Error) => () => {
      throw fault;
    };
    const call = { url: 'http://engine.test/x' };
    await expect(http.json(call, read(new Error('bug')), meter)).rejects.toThrow('bug');
    expect(meter.requests).toBe(1);
    const passing = new EngineError('engine', 'lag', { transient: true });
    await expect(http.json(call, read(passing), meter)).rejects.toBe(passing);
    expect(meter.requests).toBe(4);
  });

  test('headers are given to the reader', async () => {
    const { http, meter } = client(always(() => Response.json(1, { headers: { X: 'y' } })));
    const read = (value: unknown, headers: Headers) => [value, headers.get('X')];
    expect(await http.json({ url: 'http://engine.test/x' }, read, meter)).toEqual([1, 'y']);
  });
});

describe('an answer of another shape', () => {
  const schema = z.object({ a: z.array(z.number()) });
  test('says where', () => {
    expect(checked(schema, { a: [1] }, 'Who')).toEqual({ a: [1] });
    expect(() => checked(schema, { a: [1, 'x'] }, 'Who')).toThrow(
      /^the answer does not have the format of Who at a\.1: \S/,
    );
    expect(() => checked(schema, null, 'Who')).toThrow(
      /^the answer does not have the format of Who: \S/,
    );
    expect(() => checked(schema, {}, 'Who')).toThrow(EngineError);
  });
});

test('an error of an engine is one readable line', () => {
  const error = new EngineError('engine', 'a\nb\u0000', { retryAfterMs: 5, transient: true });
  expect(error.name).toBe('EngineError');
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(error).toMatchObject({ status: null, retryAfterMs: 5, transient: true });
  expect(error).not.toHaveProperty('cause');
});
