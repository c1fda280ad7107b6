import { messageOf, issueOf } from '../../base/errors.ts';
import { createYield } from '../../base/yielding.ts';
import type { Reply } from '../../handover/environment/environment.ts';
import { Refusal } from '../../handover/environment/refusal.ts';
import type { Hit } from '../../records/hits.ts';
import { serveHttp, type HttpServer } from '../shared/http-server.ts';
import { z } from 'zod';

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

/*
 * The protocol of Search-R1's retrieval server (PeterGriffinJin/Search-R1,
 * search_r1/search/retrieval_server.py): POST /retrieve `{queries: [text], topk, return_scores}` →
 * `{result: [[{document: {id, contents}, score}]]}`, bare documents where no scores are asked for.
 * `contents` is the title in quotes, a line break, the text.
 */

/** Default number of passages of the paper's server (`retrieval_topk`). */
const TOP_K = 3;

/** Searching a character of a query costs a postings list at most, so this bounds the work of one call. */
const MAX_QUERY_CHARS = 200_000;

const requestSchema = z.object({
  queries: z.array(z.string().max(20_000)).max(512),
  topk: z.int().min(1).max(100).nullish(),
  return_scores: z.boolean().nullish(),
});

interface RetrieveRequest {
  queries: readonly string[];
  k: number;
  scores: boolean;
}

interface Document {
  id: string;
  contents: string;
}

interface RetrieveAnswer {
  result: (Document | { document: Document; score: number })[][];
}

/** @throws Refusal that names the field */
function readRequest(body: string): RetrieveRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
  const read = requestSchema.safeParse(value);
  if (!read.success) throw new Refusal(422, issueOf(read.error, 'the body'));
  const { queries, topk, return_scores } = read.data;
  const chars = queries.reduce((sum, query) => sum + query.length, 0);
  if (chars > MAX_QUERY_CHARS)
    throw new Refusal(
      413,
      `the queries have ${chars} characters together, more than ${MAX_QUERY_CHARS}; send fewer queries per call`,
    );
  return { queries, k: topk ?? TOP_K, scores: return_scores ?? false };
}

const documentOf = ({ passage: { id, title, text } }: Hit): Document => ({
  id,
  contents: `"${title}"\n${text}`,
});

/** @param hits one list for each query */
const answerOf = (hits: readonly (readonly Hit[])[], scores: boolean): RetrieveAnswer => ({
  result: hits.map((list) =>
    list.map((hit) => (scores ? { document: documentOf(hit), score: hit.score } : documentOf(hit))),
  ),
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
