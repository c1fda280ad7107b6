import { z } from 'zod';
import type { Engine, EngineCall, EngineKind } from './engine.ts';
import { checked } from '../http/http.ts';
import { wellFormed } from './plain-text.ts';
import { passageOf, splitContents, textKey, type Found } from './passages.ts';

/*
 * Search-R1's retrieval server (PeterGriffinJin/Search-R1, search_r1/search/retrieval_server.py):
 * POST `{queries: [text], topk, return_scores}` → `{result: [[{document, score}]]}`, or bare documents
 * where no scores are returned. A document has `contents`, `"Title"` on a line of its own and then the
 * text, and mostly an `id`; BM25 servers add `title` and `text` and give no id. The online variants
 * (google_search_server.py, serp_search_server.py) know no `topk` and give `{document: {contents}}`.
 */

export const documentSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  contents: z.string().optional(),
  title: z.string().optional(),
  text: z.string().optional(),
});

const scored = z.object({ document: documentSchema, score: z.number().nullish() });
const answerSchema = z.object({
  result: z.array(z.array(z.union([scored, documentSchema])).max(1000)).max(1000),
});

export const found = (
  prefix: string,
  document: z.infer<typeof documentSchema>,
  score: number | null,
): Found[] => {
  const { id, contents = '', title, text } = document;
  const parts =
    title === undefined || text === undefined ? splitContents(contents) : { title, text };
  const key = id ?? textKey(`${parts.title}\n${parts.text}`);
  const passage = passageOf({ id: `${prefix}/${key}`, ...parts });
  return passage ? [{ passage, score }] : [];
};

class SearchR1 implements Engine {
  readonly id: string;

  constructor(readonly address: string) {
    this.id = `search-r1:${address}`;
  }

  async search({ query, k, http, meter, signal }: EngineCall): Promise<Found[]> {
    const body = { queries: [wellFormed(query)], topk: k, return_scores: true };
    const read = (value: unknown) => checked(answerSchema, value, 'Search-R1’s /retrieve');
    const { result } = await http.json({ url: this.address, body }, read, meter, signal);
    return (result[0] ?? [])
      .flatMap((item) =>
        'document' in item
          ? found('search-r1', item.document, item.score ?? null)
          : found('search-r1', item, null),
      )
      .slice(0, k);
  }
}

export const searchR1: EngineKind = {
  id: 'search-r1',
  name: 'Search-R1 server',
  about: 'Search-R1’s retrieval_server.py, or its online variants.',
  example: 'localhost:8000/retrieve',
  path: '/retrieve',
  addressAdvice: 'The address ends in /retrieve.',
  corsAdvice:
    'Add FastAPI’s CORSMiddleware to retrieval_server.py with allow_origins, allow_methods and allow_headers for this page, and start it again.',
  open: (url) => new SearchR1(url),
};
