import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import { splitQueries } from '../../records/protocol.ts';
import type { Params } from './system.ts';

const REWRITE =
  'Write better search queries for the question, so that a search engine finds what answers it. Separate several queries by semicolons, and write nothing else.';

/** The policy's own queries in place of the question, then one reading. */
async function rewriteRead(s: Steps, { maxTokens, most }: Params): Promise<void> {
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

export const hooks = (params: Params): LoopHooks => ({ program: (s) => rewriteRead(s, params) });
