import { messageOf } from '../../base/errors.ts';
import { createYield } from '../../base/yielding.ts';
import type { Reply } from '../../handover/environment/environment.ts';
import { Refusal } from '../../handover/environment/refusal.ts';
import type { Hit } from '../../records/hits.ts';
import { serveHttp, type HttpServer } from '../shared/http-server.ts';
import { answerOf, readRequest } from './protocol.ts';

/** Passages over HTTP, for pages and for trainers that speak Search-R1's protocol. */

const PATH = '/retrieve';
const BODY_BYTES = 4 * 2 ** 20;

export interface RetrievalServerOptions {
  search: (query: string, k: number) => Promise<readonly Hit[]>;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Every call must send it; null: none, and only this machine may call. */
  token: string | null;
  /** Allowed origins besides this machine's; `https://name` each. */
  origins: readonly string[];
}

const refuse = (error: unknown): Reply => ({
  status: error instanceof Refusal ? error.status : 500,
  body: JSON.stringify({ detail: messageOf(error) }),
});

/**
 * @returns its `url` is that of `/retrieve`
 * @throws Error where the address is taken or not this machine's
 */
export async function serveRetrieval({
  search,
  ...options
}: RetrievalServerOptions): Promise<HttpServer> {
  const pause = createYield();
  const server = await serveHttp({
    ...options,
    bodyBytes: BODY_BYTES,
    tooLarge: 'send fewer queries per call',
    refuse,
    answer: async (method, path, body) => {
      if (path !== PATH) throw new Refusal(404, `There is only ${PATH}.`);
      if (method !== 'POST') throw new Refusal(405, `${PATH} takes POST.`);
      const { queries, k, scores } = readRequest(body);
      const hits: (readonly Hit[])[] = [];
      for (const query of queries) {
        hits.push(await search(query, k));
        // Lexical search never yields by itself; let other calls run.
        await pause();
      }
      return { status: 200, body: JSON.stringify(answerOf(hits, scores)) };
    },
  });
  return {
    ...server,
    url: `${server.url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')}${PATH}`,
  };
}
