import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refused, type Reply } from '../../handover/environment/environment.ts';
import { Refusal } from '../../handover/environment/refusal.ts';

/** Carries calls over HTTP to whoever answers them: bodies of limited size, and a token where there is one. */

export interface HttpOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  /** Every call must bring it; null: none, for this machine alone. */
  token: string | null;
  bodyBytes: number;
  answer: (method: string, path: string, body: string) => Promise<Reply>;
}

export interface HttpServer {
  url: string;
  /** Takes no more calls, and ends once those under way are answered, or after so many milliseconds. */
  close(graceMs: number): Promise<void>;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]'];
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** Digests have one length, so that comparing takes one time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function checkToken({ headers }: IncomingMessage, token: string): void {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(given), digest(token))) return;
  throw new Refusal(
    401,
    given === ''
      ? 'this server wants its token: Authorization: Bearer TOKEN'
      : 'this is not the token that the server was started with',
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
    throw new Refusal(403, 'without a token this server is called by 127.0.0.1 or localhost');
  if (method === 'POST' && !/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Content-Type must be application/json');
}

async function readBody(request: IncomingMessage, most: number): Promise<string> {
  const tooLarge = (): Refusal =>
    new Refusal(
      413,
      `the body has more than ${most} bytes; send fewer answers at a time, or start the server with a larger --body-mib`,
    );
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
    throw new Refusal(400, 'the body is no UTF-8');
  }
}

async function reply(request: IncomingMessage, options: HttpOptions): Promise<Reply> {
  try {
    checkCaller(request, options.token);
    if (options.token !== null) checkToken(request, options.token);
    const body = await readBody(request, options.bodyBytes);
    const [path = ''] = (request.url ?? '').split('?');
    return await options.answer(request.method ?? '', path, body);
  } catch (error) {
    return refused(error);
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
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
