import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  EndpointClient,
  type StreamOptions,
} from '../../../../src/policy/remote/endpoint/client.ts';
import { EndpointError } from '../../../../src/policy/remote/endpoint/errors.ts';
import type { TransportOptions } from '../../../../src/policy/remote/endpoint/transport.ts';
import type { Piece } from '../../../../src/policy/remote/endpoint/wire.ts';
import { strictServer, type Scripted, type StrictServer } from './strict-server.ts';

const open: StrictServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const start = async (script: Partial<Scripted> = {}, options: Partial<TransportOptions> = {}) => {
  const server = await strictServer(script);
  open.push(server);
  const waits: number[] = [];
  const client = new EndpointClient({
    url: server.url,
    model: 'tiny',
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    random: () => 1,
    ...options,
  });
  return { server, client, waits };
};

const OPTIONS: StreamOptions = {
  maxTokens: 64,
  temperature: 1,
  topP: 1,
  topK: 0,
  stop: [],
  seed: 7,
};

const collect = async (stream: AsyncGenerator<Piece, { finish: string }>) => {
  const pieces: Piece[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { pieces, finish: step.value.finish };
    pieces.push(step.value);
  }
};

const failure = async (promise: Promise<unknown>): Promise<EndpointError> => {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EndpointError);
  return error instanceof EndpointError ? error : new EndpointError('server', 'never');
};

describe('a client of an OpenAI-compatible server', () => {
  it('streams a text with the log-probability of each token', async () => {
    const { client } = await start();
    const { pieces, finish } = await collect(client.continueText('Where?', OPTIONS));
    expect(pieces.map((piece) => piece.text)).toEqual(['The', ' answer', ' is', ' Oslo', '.']);
    expect(pieces.map((piece) => piece.logprob)).toEqual([-0.5, -1.5, -2.5, -3.5, -4.5]);
    expect(finish).toBe('stop');
  });

  it('streams a chat, and continues the assistant’s own words where it is asked to', async () => {
    const { client, server } = await start();
    const messages = [
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: '<think>' },
    ] as const;
    const { pieces } = await collect(
      client.continueChat(messages, { ...OPTIONS, continues: true }),
    );
    expect(pieces.map((piece) => piece.text).join('')).toBe('The answer is Oslo.');
    expect(pieces[2]?.logprob).toBe(-2.5);
    expect(server.requests[0]).toMatchObject({
      continue_final_message: true,
      add_generation_prompt: false,
      messages,
    });
  });

  it('reads the same whatever the network cuts, also inside a character', async () => {
    const tokens = ['Ø', 'stfold', ' 日本', ' 🦊', '\n\ndata: x'];
    for (const slice of [1, 2, 3, 7, 64]) {
      const { client } = await start({ tokens, slice });
      const { pieces } = await collect(client.continueText('?', OPTIONS));
      expect(pieces.map((piece) => piece.text)).toEqual(tokens);
    }
  });

  it('says that the length ended it, and honours stop strings', async () => {
    const { client } = await start();
    const short = await collect(client.continueText('?', { ...OPTIONS, maxTokens: 2 }));
    expect(short).toMatchObject({ finish: 'length' });
    expect(short.pieces).toHaveLength(2);
    const stopped = await collect(client.continueText('?', { ...OPTIONS, stop: [' Oslo'] }));
    expect(stopped.pieces.map((piece) => piece.text).join('')).toBe('The answer is');
  });

  it('invents no log-probabilities', async () => {
    const { client } = await start({ logprobs: false });
    const { pieces } = await collect(client.continueText('?', OPTIONS));
    expect(pieces).toHaveLength(5);
    expect(pieces.every((piece) => !('logprob' in piece))).toBe(true);
  });

  it('answers messages as judge and summarizer need it', async () => {
    const { client, server } = await start();
    const messages = [{ role: 'user', content: 'True or false?' }] as const;
    const text = await client.chat(messages, { maxTokens: 3, temperature: 0, seed: 1 });
    expect(text).toBe('The answer is');
    expect(server.requests).toHaveLength(1);
  });

  it('repeats what may pass, waits longer each time, and as long as the server asks', async () => {
    const { client, waits } = await start({
      failures: [
        { status: 500, body: 'oops' },
        { status: 503 },
        { status: 429, headers: { 'Retry-After': '7' } },
      ],
    });
    const { pieces } = await collect(client.continueText('?', OPTIONS));
    expect(pieces).toHaveLength(5);
    expect(waits).toEqual([500, 1000, 7000]);
  });

  it('gives up after its repeats, with the server’s words', async () => {
    const failures = Array.from({ length: 9 }, () => ({
      status: 429,
      body: '{"error":{"message":"quota is used up"}}',
    }));
    const { client, waits } = await start({ failures }, { retries: 2 });
    const error = await failure(client.models());
    expect(error.fault).toBe('rate-limited');
    expect(error.message).toContain('quota is used up');
    expect(waits).toHaveLength(2);
  });

  it('repeats nothing that will not pass', async () => {
    const { client, waits, server } = await start({ key: 'secret' });
    expect((await failure(client.models())).fault).toBe('unauthorized');
    expect(waits).toEqual([]);
    const known = new EndpointClient({ url: server.url, model: 'other', key: () => 'secret' });
    expect((await failure(collect(known.continueText('?', OPTIONS)))).fault).toBe('wrong-model');
    const astray = new EndpointClient({
      url: `${server.url}/x`,
      model: 'tiny',
      key: () => 'secret',
    });
    expect((await failure(astray.models())).fault).toBe('not-found');
  });

  it('ends at once when it is aborted, and the server notices', async () => {
    const tokens = Array.from({ length: 500 }, (_, i) => ` ${i}`);
    const { client, server } = await start({ tokens });
    const abort = new AbortController();
    const stream = client.continueText('?', { ...OPTIONS, maxTokens: 500, signal: abort.signal });
    await stream.next();
    abort.abort(new Error('enough'));
    await expect(
      (async () => {
        for (;;) if ((await stream.next()).done) return;
      })(),
    ).rejects.toThrow('enough');
    await expect.poll(() => server.left).toBe(1);
  });

  it('leaves the server when nobody reads on, and lets the next request in', async () => {
    const tokens = Array.from({ length: 500 }, (_, i) => ` ${i}`);
    const { client, server } = await start({ tokens }, { concurrency: 1 });
    for await (const piece of client.continueText('?', { ...OPTIONS, maxTokens: 500 })) {
      if (piece.text === ' 3') break;
    }
    await expect.poll(() => server.left).toBe(1);
    expect(await client.models()).toEqual(['tiny']);
  });

  it('keeps to the number of requests that it may have under way', async () => {
    let now = 0;
    let most = 0;
    const counting: typeof fetch = async (input, init) => {
      most = Math.max(most, ++now);
      const response = await fetch(input, init);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      return response;
    };
    const { client } = await start({}, { concurrency: 2, fetch: counting });
    await Promise.all(Array.from({ length: 8 }, () => client.models()));
    expect(most).toBe(2);
  });

  it('gives each text once and whole where a server breaks one off for the next', async () => {
    const { client, server } = await start({ interrupts: true });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => collect(client.continueText('Where?', OPTIONS))),
    );
    for (const { pieces, finish } of all) {
      expect(pieces.map(({ text }) => text).join('')).toBe('The answer is Oslo.');
      expect(finish).toBe('stop');
    }
    expect(server.requests.length).toBeGreaterThan(5);
  });

  it('says so where a stream ends without a word, as it does for contexts that are too long', async () => {
    const headers = { 'Content-Type': 'text/event-stream' };
    const { client, server } = await start({ failures: [{ status: 200, headers }] });
    const error = await failure(collect(client.continueText('Where?', OPTIONS)));
    expect(error).toMatchObject({ fault: 'server' });
    expect(error.message).toContain('context');
    expect(server.requests).toHaveLength(0);
  });

  it('tells silence, a broken stream and other formats apart', async () => {
    const silent = await start({ silent: true }, { timeoutMs: 50, retries: 0 });
    expect((await failure(silent.client.models())).fault).toBe('time-out');
    const broken = await start({ breakAfter: 2 });
    const error = await failure(collect(broken.client.continueText('?', OPTIONS)));
    expect(error.fault).toBe('unreachable');
    const page = await start({ failures: [{ status: 200, body: '<html>' }] });
    expect((await failure(page.client.models())).fault).toBe('bad-answer');
    const nobody = new EndpointClient({ url: 'http://127.0.0.1:9/v1', model: 'x', retries: 0 });
    expect((await failure(nobody.models())).fault).toBe('unreachable');
  });

  it('speaks of leave for pages (CORS) to a page alone', async () => {
    const nobody = new EndpointClient({ url: 'http://127.0.0.1:9/v1', model: 'x', retries: 0 });
    expect((await failure(nobody.models())).message).toMatch(/ Check that the server runs\.$/);
    vi.stubGlobal('location', new URL('http://localhost:8000/'));
    try {
      expect((await failure(nobody.models())).message).toMatch(/allows this page \(CORS\)\.$/);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
