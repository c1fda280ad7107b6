import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchFile, FetchError } from '../../../../src/ui/corpus/store/fetch-file.ts';

/** Why a file of an address is not there, in the words of the one who wanted it. */

const page = ({ protocol = 'https:', online = true } = {}): void => {
  vi.stubGlobal('location', { protocol });
  vi.stubGlobal('navigator', { onLine: online });
};

const signal = new AbortController().signal;
const silent = () => undefined;

const failure = async (address: string): Promise<{ problem: string; message: string }> => {
  const error: unknown = await fetchFile(address, signal, silent).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FetchError)) throw new Error('expected a FetchError');
  return { problem: error.problem, message: error.message };
};

const answer = (make: () => Response | Promise<Response>): void =>
  void vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve().then(make)),
  );

/** No answer to a page; `opaque`: the server is there all the same. */
const silence = (opaque: boolean): void =>
  void vi.stubGlobal('fetch', (_: URL, { mode }: RequestInit) =>
    mode === 'no-cors' && opaque
      ? Promise.resolve(new Response())
      : Promise.reject(new TypeError('Failed to fetch')),
  );

beforeEach(() => page());

describe('a file of an address', () => {
  it('is fetched without cookies, with progress', async () => {
    const body = '0123456789';
    answer(() => new Response(body, { headers: { 'content-length': '10' } }));
    const told: number[][] = [];
    const file = await fetchFile(
      ' https://a.example/d/qa%20set.jsonl?x=1 ',
      signal,
      (done, total) => told.push([done, total]),
    );
    expect([file.name, await file.text()]).toEqual(['qa set.jsonl', body]);
    expect(told.at(-1)).toEqual([10, 10]);
    expect(vi.mocked(fetch).mock.calls[0]?.[1]).toMatchObject({
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
  });

  it('never holds more than was announced: compressed bytes are fewer', async () => {
    answer(() => new Response('0123456789', { headers: { 'content-length': '4' } }));
    const told: number[][] = [];
    await fetchFile('https://a.example/x', signal, (done, total) => told.push([done, total]));
    expect(told.at(-1)).toEqual([10, 10]);
  });

  it.each([
    ['https://a.example/', 'a.example'],
    ['https://a.example/d/%E0%A4%A', '%E0%A4%A'],
    ['https://a.example/a/b/', 'b'],
  ])('%s has the name %s', async (address, name) => {
    answer(() => new Response('x'));
    expect((await fetchFile(address, signal, silent)).name).toBe(name);
  });
});

describe('what goes wrong', () => {
  it.each<[number, string]>([
    [401, 'a.example answered 401: a login is needed. Nothing was fetched.'],
    [404, 'a.example answered 404: file not found. Nothing was fetched.'],
    [429, 'a.example answered 429: too many requests; try again later. Nothing was fetched.'],
    [503, 'a.example answered 503: the server failed. Nothing was fetched.'],
    [418, 'a.example answered 418. Nothing was fetched.'],
  ])('%i is said in words', async (status, message) => {
    answer(() => new Response('', { status }));
    expect(await failure('https://a.example/x')).toEqual({ problem: 'status', message });
  });

  it('a web page is no file, nor is an empty one', async () => {
    answer(
      () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );
    expect(await failure('https://a.example/x')).toMatchObject({
      problem: 'page',
      message: expect.stringContaining('“raw” or “download”') as unknown,
    });
    answer(() => new Response(''));
    expect((await failure('https://a.example/x')).problem).toBe('empty');
  });

  it('a connection that breaks says how much came', async () => {
    answer(() => {
      let sent = false;
      const body = new ReadableStream({
        pull: (controller) => {
          if (sent) controller.error(new Error('reset'));
          else controller.enqueue(new Uint8Array(3));
          sent = true;
        },
      });
      return new Response(body);
    });
    expect(await failure('https://a.example/x')).toEqual({
      problem: 'broken',
      message: 'The connection failed after 3 bytes (reset). Nothing was stored; try again.',
    });
  });

  it.each<[string, () => void, string, string, RegExp]>([
    [
      'offline',
      () => page({ online: false }),
      'https://a.example/x',
      'offline',
      /This device is offline/,
    ],
    [
      'http from a page of https',
      () => page(),
      'http://a.example/x',
      'mixed',
      /Try https:\/\/a\.example, or download it yourself/,
    ],
    [
      'a server that lets no page read',
      () => silence(true),
      'https://a.example/x',
      'cors',
      /a\.example answers, but does not let other pages read it \(CORS\)\. Download it/,
    ],
    [
      'no answer at all',
      () => silence(false),
      'https://a.example/x',
      'unreachable',
      /If the address opens in a tab, it is CORS/,
    ],
    [
      'a server of this machine, offline',
      () => page({ online: false }),
      'http://localhost:80/x',
      'unreachable',
      /localhost does not answer/,
    ],
    [
      'one by its number',
      () => page({ online: false }),
      'http://127.0.0.1/x',
      'unreachable',
      /127\.0\.0\.1/,
    ],
  ])('%s is told from the rest', async (_, prepare, address, problem, words) => {
    silence(false);
    prepare();
    const told = await failure(address);
    expect(told.problem).toBe(problem);
    expect(told.message).toMatch(words);
  });

  it('what was stopped is stopped, with its reason', async () => {
    const stop = new AbortController();
    answer(() => {
      stop.abort(new Error('mine'));
      throw new TypeError('Failed to fetch');
    });
    await expect(fetchFile('https://a.example/x', stop.signal, silent)).rejects.toThrow('mine');
  });

  it('does not report a program error as a network error', async () => {
    answer(() => {
      throw new RangeError('a fault of the program');
    });
    await expect(fetchFile('https://a.example/x', signal, silent)).rejects.toThrow(RangeError);
  });
});
