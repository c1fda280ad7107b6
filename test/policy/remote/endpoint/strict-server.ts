import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/**
 * A server that takes exactly what the public description of the OpenAI API allows, and answers as it
 * says; a field that it does not know is a 400, so that a client that invents one is found out.
 */

const message = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});

const shared = {
  model: z.string(),
  stream: z.boolean().optional(),
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(2),
  top_p: z.number().min(0).max(1).optional(),
  // vLLM, SGLang and llama.cpp take it; OpenAI does not.
  top_k: z.int().min(1).optional(),
  stop: z.array(z.string().min(1)).min(1).max(4).optional(),
  seed: z.int().min(0).max(0x7fffffff).optional(),
};

const chatRequest = z.strictObject({
  ...shared,
  messages: z.array(message).min(1),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  // vLLM's and SGLang's way to continue the assistant's turn.
  add_generation_prompt: z.boolean().optional(),
  continue_final_message: z.boolean().optional(),
});

const textRequest = z.strictObject({
  ...shared,
  prompt: z.string(),
  logprobs: z.int().min(0).max(5).optional(),
});

/** A request that was taken. */
export type Asked = z.infer<typeof chatRequest> | z.infer<typeof textRequest>;

export interface Scripted {
  /** Tokens that the model writes, whatever it is asked, or by what it is asked. */
  tokens: string[] | ((asked: Asked) => string[]);
  /** Answers of the next requests that are not answers: status, headers, body. */
  failures: { status: number; headers?: Record<string, string>; body?: string }[];
  key: string;
  models: string[];
  /** Bytes of the stream that go out in one write; 0 for an event at a time. */
  slice: number;
  /** Closes the connection after this many events. */
  breakAfter: number;
  logprobs: boolean;
  /** Ends a stream without a word when another request comes in, as llama-cpp-python does. */
  interrupts: boolean;
  cors: boolean;
  /** Never answers. */
  silent: boolean;
}

export interface StrictServer {
  url: string;
  script: Scripted;
  /** Bodies of the requests that were taken. */
  requests: Asked[];
  /** Keys that requests came with. */
  keys: Set<string>;
  /** Streams that the client left before their end. */
  left: number;
  close(): Promise<void>;
}

const SCRIPT: Scripted = {
  tokens: ['The', ' answer', ' is', ' Oslo', '.'],
  failures: [],
  key: '',
  models: ['tiny'],
  slice: 0,
  breakAfter: Infinity,
  logprobs: true,
  interrupts: false,
  cors: true,
  silent: false,
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
};

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
};

const refuse = (response: ServerResponse, status: number, text: string): void =>
  json(response, status, { error: { message: text, type: 'invalid_request_error' } });

/** Starts the server on a free port. */
export async function strictServer(script: Partial<Scripted> = {}): Promise<StrictServer> {
  const state: StrictServer = {
    url: '',
    script: { ...SCRIPT, ...script },
    requests: [],
    keys: new Set(),
    left: 0,
    close: () => Promise.resolve(),
  };
  const server = createServer((request, response) => void handle(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  state.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return state;
}

async function handle(
  state: StrictServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { script } = state;
  const body = await readBody(request);
  if (script.silent) return;
  if (script.cors) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'authorization, content-type');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  }
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  const failure = script.failures.shift();
  if (failure) {
    response.writeHead(failure.status, failure.headers);
    return void response.end(failure.body ?? '');
  }
  state.keys.add(request.headers.authorization ?? '');
  if (script.key !== '' && request.headers.authorization !== `Bearer ${script.key}`)
    return refuse(response, 401, 'Incorrect API key provided');
  const path = request.url ?? '';
  if (path === '/v1/models' && request.method === 'GET')
    return json(response, 200, {
      object: 'list',
      data: script.models.map((id) => ({ id, object: 'model' })),
    });
  const chat = path === '/v1/chat/completions';
  if ((!chat && path !== '/v1/completions') || request.method !== 'POST')
    return refuse(response, 404, `Invalid URL (${request.method} ${path})`);
  const parsed = (chat ? chatRequest : textRequest).safeParse(JSON.parse(body));
  if (!parsed.success) return refuse(response, 400, parsed.error.message);
  if (!script.models.includes(parsed.data.model))
    return refuse(response, 404, `The model \`${parsed.data.model}\` does not exist`);
  state.requests.push(parsed.data);
  await answer(state, chat, parsed.data, response);
}

/** What is written before the first stop string, cut at max_tokens. */
function written({ tokens: said }: Scripted, asked: Asked) {
  const { stop = [], max_tokens: most } = asked;
  let text = '';
  const tokens: string[] = [];
  for (const token of typeof said === 'function' ? said(asked) : said) {
    if (tokens.length === most) return { tokens, finish: 'length' };
    text += token;
    if (stop.some((end) => text.includes(end))) return { tokens, finish: 'stop' };
    tokens.push(token);
  }
  return { tokens, finish: 'stop' };
}

async function answer(
  state: StrictServer,
  chat: boolean,
  asked: Asked,
  response: ServerResponse,
): Promise<void> {
  const { script } = state;
  const { tokens, finish } = written(script, asked);
  if (!asked.stream) {
    const content = tokens.join('');
    return json(response, 200, {
      choices: [
        chat
          ? { index: 0, message: { role: 'assistant', content }, finish_reason: finish }
          : { index: 0, text: content, finish_reason: finish },
      ],
    });
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  let ended = false;
  response.on('close', () => {
    if (!ended) state.left += 1;
  });
  const write = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    const step = script.slice || bytes.length;
    for (let at = 0; at < bytes.length; at += step) {
      response.write(bytes.subarray(at, at + step));
      if (script.slice) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const event = (part: object): string => `data: ${JSON.stringify({ choices: [part] })}\n\n`;
  const mine = state.requests.length;
  const logprobs = script.logprobs && asked.logprobs !== undefined && asked.logprobs !== false;
  for (const [i, token] of tokens.entries()) {
    if (i >= script.breakAfter) return void response.destroy();
    if (script.interrupts && state.requests.length > mine) {
      ended = true;
      return void response.end();
    }
    const logprob = -0.5 - i;
    const chatPart = {
      index: 0,
      delta: i === 0 ? { role: 'assistant', content: token } : { content: token },
      logprobs: logprobs ? { content: [{ token, logprob, bytes: null, top_logprobs: [] }] } : null,
      finish_reason: null,
    };
    const textPart = {
      index: 0,
      text: token,
      logprobs: logprobs ? { tokens: [token], token_logprobs: [logprob], top_logprobs: [] } : null,
      finish_reason: null,
    };
    await write(event(chat ? chatPart : textPart));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await write(event({ index: 0, ...(chat ? { delta: {} } : { text: '' }), finish_reason: finish }));
  await write('data: [DONE]\n\n');
  ended = true;
  response.end();
}
