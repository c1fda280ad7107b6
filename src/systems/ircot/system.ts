import { z } from 'zod';
import { PROMPTED_DIFFERENCES, promptedLoop } from '../../recipes/parts/loops.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * IRCoT (arXiv 2212.10509; code: StonyBrookNLP/ircot): at most 10 sentences; the query is the last one that is not
 * a conclusion, without question words; a sentence with `answer is` ends the chain. The figures are from FlashRAG's rerun.
 */
const params = z.strictObject({
  /** Most sentences, a retrieval after each. */
  rounds: z.int().min(1).max(32).default(10),
});
export type Params = z.infer<typeof params>;

export const ircot = defineSystem({
  id: 'ircot',
  version: '1',
  title: 'IRCoT',
  summary: 'Retrieval with the question, then a thought and retrieval with that thought, in turns.',
  about: {
    paper: '2212.10509',
    kind: 'not trained',
    parts: ['interleaved thoughts as queries'],
    differences: [
      ...PROMPTED_DIFFERENCES,
      'One context: passages stay where they were found, and the answer is written there, not by a separate reader over 15 paragraphs.',
      'The setup’s search method instead of BM25 with k of 2 to 8.',
      'The built-in policy gets the first passages as a background and sees its thought as the query, if that contains a name; its word `done` ends the chain.',
    ],
    published: {
      figure: 'F1 41.5, EM 33.3 on NQ',
      benchmark: 'HotpotQA',
      model: 'Llama-3-8B-Instruct, rerun by FlashRAG',
    },
    sources: {
      'settings.retrieval.k': 'code: one of 2, 4, 6 and 8',
      'settings.system.rounds': 'code: 10 sentences',
    },
    expectedEffect: 'Recall of gold passages rises with rounds; comparison questions gain least.',
  },
  params,
  loop: () => import('./loop.ts'),
  settings: promptedLoop(
    'program',
    { k: 2, maxSearches: 10 },
    { dialect: 'thoughts', method: { firstSearch: 'question' } },
  ),
  training: [],
});
