import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import type { Hit } from '../../records/hits.ts';
import { answerOf, BadRequest, readRequest } from './protocol.ts';

/** Passages over HTTP, for pages and for trainers that speak Search-R1's protocol. */

const PATH = '/retrieve';
const MOST_BYTES = 4 * 2 ** 20;

export interface RetrievalServerOptions {
  search: (query: string, k: number) => Promise<readonly Hit[]>;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Pages that may ask, besides those of this machine; `https://name` each. */
  origins: readonly string[];
}

export interface RetrievalServer {
  /** Of `/retrieve`. */
  url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Browsers let a page read an answer only where it says so; programs do not ask. */
function allowOrigin(
  { headers }: IncomingMessage,
  response: ServerResponse,
  origins: readonly string[],
): void {
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return;
  if (!LOOPBACK.has(new URL(origin).hostname) && !origins.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  // A page of the open web asks first whether it may call a machine at home.
  if (headers['access-control-request-private-network'] === 'true')
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
}

/** @throws BadRequest where it is too long */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES)
      throw new BadRequest(413, `The body is longer than ${MOST_BYTES} bytes; ask in parts.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** @throws Error where the address is taken or not this machine's */
export async function serveRetrieval({
  search,
  host,
  port,
  origins,
}: RetrievalServerOptions): Promise<RetrievalServer> {
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH)
      throw new BadRequest(404, `There is ${PATH} only.`);
    if (request.method !== 'POST') throw new BadRequest(405, `${PATH} takes POST.`);
    const { queries, k, scores } = readRequest(await bodyOf(request));
    return answerOf(await Promise.all(queries.map((query) => search(query, k))), scores);
  };
  const server = createServer((request, response) => {
    const send = (status: number, value: unknown): void => {
      if (!response.destroyed)
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(value));
    };
    response.setHeader('Vary', 'Origin');
    allowOrigin(request, response, origins);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    answer(request).then(
      (value) => send(200, value),
      (error: unknown) => {
        // What was not read of the body would be taken for the next call.
        response.setHeader('Connection', 'close');
        send(error instanceof BadRequest ? error.status : 500, { detail: messageOf(error) });
      },
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return {
    url: `http://${name.includes(':') ? `[${name}]` : name}:${actual}${PATH}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
