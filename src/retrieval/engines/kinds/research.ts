import { z } from 'zod';
import type { Engine, EngineCall, EngineKind } from './engine.ts';
import { checked } from '../http/http.ts';
import { wellFormed } from './plain-text.ts';
import type { Found } from './passages.ts';
import { documentSchema, found } from './search-r1.ts';

/*
 * ReSearch's retrieval server (Agent-RL/ReSearch, scripts/serving/retriever_serving.py): POST
 * `{query: [text], top_n, return_score}` → `[[{id, contents}]]`, or with scores the pair
 * `[[[{id, contents}]], [[score]]]`. `contents` is FlashRAG's: the title, a line break, the text.
 */

const documents = z.array(z.array(documentSchema).max(1000)).max(1000);
const answerSchema = z.union([
  z.tuple([documents, z.array(z.array(z.number()).max(1000)).max(1000)]),
  documents,
]);

type Answer = z.infer<typeof answerSchema>;

/** A list of documents is not a list of lists of documents: that tells the two forms apart. */
const isScored = (answer: Answer): answer is Extract<Answer, [unknown, unknown]> =>
  Array.isArray(answer[0]?.[0]);

class ReSearch implements Engine {
  readonly id: string;

  constructor(readonly address: string) {
    this.id = `research:${address}`;
  }

  async search({ query, k, http, meter, signal }: EngineCall): Promise<Found[]> {
    const body = { query: [wellFormed(query)], top_n: k, return_score: true };
    const read = (value: unknown) => checked(answerSchema, value, 'ReSearch’s /batch_search');
    const answer = await http.json({ url: this.address, body }, read, meter, signal);
    const [lists, scores] = isScored(answer) ? answer : [answer, []];
    return (lists[0] ?? [])
      .flatMap((document, i) => found('research', document, scores[0]?.[i] ?? null))
      .slice(0, k);
  }
}

export const research: EngineKind = {
  id: 'research',
  name: 'ReSearch server',
  about: 'ReSearch’s retriever_serving.py over FlashRAG.',
  example: 'localhost:8000/batch_search',
  path: '/batch_search',
  addressAdvice: 'The address ends in /batch_search.',
  corsAdvice:
    'Add FastAPI’s CORSMiddleware to retriever_serving.py with allow_origins, allow_methods and allow_headers for this page, and start it again.',
  open: (url) => new ReSearch(url),
};
