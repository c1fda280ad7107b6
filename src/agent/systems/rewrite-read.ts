import { splitQueries } from '../../recipes/methods/draft-query.ts';
import type { Steps } from './parts/steps.ts';

const REWRITE =
  'Write better search queries for the question, so that a search engine finds what answers it. Separate several queries by semicolons, and write nothing else.';

/** Rewrite-retrieve-read (arXiv 2305.14283): the policy's own queries in place of the question, then one reading. */
export async function rewriteRead(s: Steps): Promise<void> {
  const { maxTokens = 50, most = 1 } = s.method.query ?? {};
  const rewrite =
    s.spelling === 'ids'
      ? await s.first('rewrite', 'search', 'search')
      : (await s.ask({ of: 'rewrite', instruction: REWRITE, user: s.question, maxTokens })).text;
  const queries = splitQueries(rewrite, most);
  await s.open();
  for (const query of queries.length > 0 ? queries : [s.question])
    if (s.canSearch()) await s.search(query, false);
  await s.answer();
}
