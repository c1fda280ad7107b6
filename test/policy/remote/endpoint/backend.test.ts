import { afterEach, expect, it } from 'vitest';
import { EndpointBackend } from '../../../../src/policy/remote/endpoint/backend.ts';
import { EndpointClient } from '../../../../src/policy/remote/endpoint/client.ts';
import type { TextRequest } from '../../../../src/policy/remote/text-backend.ts';
import type { Endpoint } from '../../../../src/records/setup.ts';
import { strictServer, type StrictServer } from './strict-server.ts';

const open: StrictServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const start = async (api: Endpoint['api'], tokens?: string[]) => {
  const server = await strictServer(tokens ? { tokens } : {});
  open.push(server);
  const endpoint = { id: 'e', url: server.url, model: 'tiny', api, maxContext: 4096 };
  const client = new EndpointClient({ url: server.url, model: 'tiny' });
  return { server, backend: new EndpointBackend(endpoint, client) };
};

const request = (part: Partial<TextRequest> = {}): TextRequest => ({
  prefix: 'Q: where?\nA:',
  messages: [
    { role: 'user', content: 'where?' },
    { role: 'assistant', content: '<think>' },
  ],
  maxTokens: 3,
  temperature: 0.7,
  topK: 0,
  topP: 1,
  stop: ['</search>', '</a>', '</b>', '</c>', '</d>'],
  seed: 0xffffffff,
  signal: new AbortController().signal,
  ...part,
});

it('gives the conversation as text, as turns, or as a turn to go on with', async () => {
  const kinds = { completions: 'none', chat: 'alternate', 'chat-continue': 'continue' } as const;
  for (const api of ['completions', 'chat', 'chat-continue'] as const) {
    const { backend, server } = await start(api);
    expect(backend.turns).toBe(kinds[api]);
    const chunks = [];
    for await (const chunk of backend.stream(request())) chunks.push(chunk);
    expect(chunks.map(({ text }) => text).join('')).toBe('The answer is');
    expect(chunks.at(-1)?.finish).toBe('length');
    expect(chunks[1]?.logprob).toBe(-1.5);
    const [sent] = server.requests;
    expect(sent).toMatchObject(
      api === 'completions' ? { prompt: 'Q: where?\nA:' } : { messages: request().messages },
    );
    expect(Object.hasOwn(Object(sent), 'continue_final_message')).toBe(api === 'chat-continue');
    expect(Object.hasOwn(Object(sent), 'stop')).toBe(false);
  }
});

it('lets the server stop when the reader has what it needs', async () => {
  const { backend, server } = await start(
    'completions',
    Array.from({ length: 300 }, () => ' on'),
  );
  for await (const chunk of backend.stream(request({ maxTokens: 300 }))) {
    if (chunk.text !== '') break;
  }
  await expect.poll(() => server.left).toBe(1);
});
