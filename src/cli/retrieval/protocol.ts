import { z } from 'zod';
import { issueOf } from '../../base/errors.ts';
import { Refusal } from '../../handover/environment/refusal.ts';
import type { Hit } from '../../records/hits.ts';

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

export interface RetrieveRequest {
  queries: readonly string[];
  k: number;
  scores: boolean;
}

interface Document {
  id: string;
  contents: string;
}

export interface RetrieveAnswer {
  result: (Document | { document: Document; score: number })[][];
}

/** @throws Refusal that names the field */
export function readRequest(body: string): RetrieveRequest {
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
export const answerOf = (hits: readonly (readonly Hit[])[], scores: boolean): RetrieveAnswer => ({
  result: hits.map((list) =>
    list.map((hit) => (scores ? { document: documentOf(hit), score: hit.score } : documentOf(hit))),
  ),
});
