import { afterEach, expect, it } from 'vitest';
import type { Endpoint } from '../../../../src/records/setup.ts';
import { testEndpoint } from '../../../../src/policy/remote/endpoint/test-connection.ts';
import { strictServer, type Scripted, type StrictServer } from './strict-server.ts';
import type { OpenStream } from '../../../../src/base/reachable.ts';

const open: StrictServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const endpoint = (url: string, part: Partial<Endpoint> = {}): Endpoint => ({
  id: 'e',
  url,
  model: 'tiny',
  api: 'chat',
  maxContext: 4096,
  ...part,
});

const start = async (script: Partial<Scripted> = {}): Promise<StrictServer> => {
  const server = await strictServer(script);
  open.push(server);
  return server;
};

/** A browser's fetch, as far as cross-origin reading goes. */
const asBrowser: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, mode: 'cors' });
  if (init?.mode === 'no-cors') return new Response(null);
  if (response.headers.get('access-control-allow-origin') === null)
    throw new TypeError('Failed to fetch');
  return response;
};

it('reports the models and whether there are log-probabilities', async () => {
  const { url } = await start({ models: ['tiny', 'large'] });
  const chat = await testEndpoint(endpoint(url), '');
  expect(chat).toMatchObject({ ok: true, models: ['tiny', 'large'], logprobs: true });
  const text = await testEndpoint(endpoint(url, { api: 'completions' }), '');
  expect(text).toMatchObject({ ok: true, logprobs: true });
  const without = await start({ logprobs: false });
  expect(await testEndpoint(endpoint(without.url), '')).toMatchObject({
    ok: true,
    logprobs: false,
  });
});

it.each([
  ['a refused connection', {}, { url: 'http://127.0.0.1:9/v1' }, 'unreachable', 'Nothing answers'],
  ['CORS', { cors: false }, {}, 'cors', 'does not allow this page'],
  ['a wrong key', { key: 'right' }, {}, 'unauthorized', 'API key'],
  ['a wrong model', {}, { model: 'huge' }, 'wrong-model', 'huge'],
  [
    'bad JSON',
    {
      failures: [
        { status: 200, body: 'hi' },
        { status: 200, body: 'hi' },
      ],
    },
    {},
    'bad-answer',
    'did not answer in the format of the OpenAI API',
  ],
  ['a failing server', { failures: [{ status: 502, body: 'gateway' }] }, {}, 'server', 'gateway'],
] as const)('tells %s', async (_, script, part, fault, words) => {
  const { url } = await start({
    ...script,
    failures: 'failures' in script ? [...script.failures] : [],
  });
  const report = await testEndpoint(endpoint(url, part), 'wrong', { fetch: asBrowser });
  expect(report).toMatchObject({ ok: false, fault });
  expect(report.message).toContain(words);
  expect(JSON.stringify(report)).not.toContain('wrong"');
});

it.each([
  ['answers what may not be read', 2, 'cors'],
  ['is not there', 0, 'unreachable'],
] as const)('tells a cross-origin isolated page that a server %s', async (_, readyState, fault) => {
  // Such a page gets no opaque answer; an event stream gives up for good where an answer came.
  const refused: typeof fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  const asked: string[] = [];
  const stream: OpenStream = (address) => {
    asked.push(address);
    return {
      readyState,
      addEventListener: (type, listener) => void (type === 'error' && listener()),
      close: () => undefined,
    };
  };
  const report = await testEndpoint(endpoint('http://host/v1/'), '', { fetch: refused, stream });
  expect(report).toMatchObject({ ok: false, fault });
  expect(asked).toEqual(['http://host/v1/models']);
});

it('tells silence from an answer', async () => {
  const { url } = await start({ silent: true });
  const report = await testEndpoint(endpoint(url), '', { timeoutMs: 40 });
  expect(report).toMatchObject({ ok: false, fault: 'time-out' });
});
