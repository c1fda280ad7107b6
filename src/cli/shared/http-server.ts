import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from '../../handover/environment/environment.ts';
import { Refusal } from '../../handover/environment/refusal.ts';
import { UsageError } from './options.ts';

/** An HTTP server of JSON calls: checks the caller, bounds the body, answers every fault. */

export interface HttpOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Every call must send it; null: none, and only this machine may call. */
  token: string | null;
  bodyBytes: number;
  /** What the caller can do about a body that is too large. */
  tooLarge: string;
  /** Pages whose scripts may read answers, besides those of this machine; absent: none may. */
  origins?: readonly string[];
  answer: (method: string, path: string, body: string) => Promise<Reply>;
  /** The answer to a call that failed: a `Refusal`, or a fault of the server. */
  refuse: (error: unknown) => Reply;
}

export interface HttpServer {
  url: string;
  /** Takes no more calls, and ends when all calls are answered or after `graceMs` milliseconds. */
  close(graceMs: number): Promise<void>;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]'];
const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** Digests have one length, so that comparing takes one time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Bearer TOKEN, or Basic with the token as password, which `requests` sends for http://any:TOKEN@host. */
function tokenOf({ headers }: IncomingMessage): string {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return given;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(given, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
}

function checkToken(request: IncomingMessage, token: string): void {
  const given = tokenOf(request);
  if (timingSafeEqual(digest(given), digest(token))) return;
  throw new Refusal(
    401,
    given === ''
      ? 'this server requires its token: Authorization: Bearer TOKEN'
      : 'this is not the token that the server was started with',
  );
}

/**
 * The token of `--token` or FORAGE_TOKEN.
 * @throws UsageError where other machines could call without one
 */
export function readToken(host: string, given: string | undefined): string | null {
  const token = given ?? process.env['FORAGE_TOKEN'];
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
  if (token !== undefined && token !== '')
    throw new UsageError(
      '--token has spaces or characters that an HTTP header cannot hold; choose another.',
    );
  if (isLoopback(host)) return null;
  throw new UsageError(
    `--host ${host} is open to other machines; set --token TEXT (or FORAGE_TOKEN), which every call must send.`,
  );
}

/**
 * Without a token, what a page of a browser sends must not count: it cannot set this type of content
 * without asking first, and a name that leads here (DNS rebinding) is not that of this machine.
 */
function checkCaller({ headers, method }: IncomingMessage, token: string | null): void {
  if (token !== null) return;
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (!isLoopback(host))
    throw new Refusal(
      403,
      'without a token this server accepts only calls to 127.0.0.1 or localhost',
    );
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Content-Type must be application/json');
}

async function readBody(request: IncomingMessage, options: HttpOptions): Promise<string> {
  const most = options.bodyBytes;
  const tooLarge = (): Refusal =>
    new Refusal(413, `the body has more than ${most} bytes; ${options.tooLarge}`);
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Refusal(400, 'the body is not UTF-8');
  }
}

async function reply(request: IncomingMessage, options: HttpOptions): Promise<Reply> {
  try {
    checkCaller(request, options.token);
    if (options.token !== null) checkToken(request, options.token);
    const body = await readBody(request, options);
    const [path = ''] = (request.url ?? '').split('?');
    return await options.answer(request.method ?? '', path, body);
  } catch (error) {
    return options.refuse(error);
  }
}

/** Browsers let a page read an answer only if the server names the page; programs ignore this. */
function allowOrigin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): void {
  response.setHeader('vary', 'Origin');
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return;
  if (!isLoopback(new URL(origin).hostname) && !origins.includes(origin)) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-headers', 'Content-Type, Authorization');
  response.setHeader('access-control-allow-methods', 'POST');
  // A page of the open web asks first whether it may call a private network.
  if (headers['access-control-request-private-network'] === 'true')
    response.setHeader('access-control-allow-private-network', 'true');
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  if (options.origins !== undefined) {
    allowOrigin(request, response, options.origins);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  }
  const { status, body } = await reply(request, options);
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    // What is left of a body that was refused is not read: the connection ends with the answer.
    ...(!request.complete && { connection: 'close' }),
  });
  response.end(bytes);
}

/** @throws Error of the system where it cannot listen there */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const server = createServer((request, response) => {
    // A caller who went away needs no answer.
    handle(request, response, options).catch(() => response.destroy());
  });
  // Trainers update for minutes between two calls.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  const name = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${name}:${port}`,
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
