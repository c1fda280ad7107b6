import { z } from 'zod';

/**
 * A search engine's page of results and a second tool that opens a page (DeepResearcher, arXiv 2504.03160, section 3.2): a
 * search shows the titles of what it finds with their first sentences; a query that is the title of a page opens that page, of
 * which a reader extracts what bears on the question. `src/agent/tools/browse.ts` has both.
 */
export const browseSchema = z.strictObject({
  /** Sentences of a page that a search shows. */
  snippet: z.int().min(1).max(5),
  /** Most sentences that are extracted of a page that is opened. */
  extract: z.int().min(1).max(20),
});
