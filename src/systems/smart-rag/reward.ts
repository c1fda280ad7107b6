import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * SmartRAG (arXiv 2410.18141; code: gaojingsheng/SmartRAG, rl/rl4lms/envs/text_generation/reward.py): EM + F1 at
 * the end, −0.2 for each search, −1 for an output that neither answers nor searches. Difference: the last is any
 * breach of Forage's protocol, once.
 */

const SEARCH = -0.2;

export const smartRag = fixedReward({
  id: 'smart-rag',
  name: 'SmartRAG',
  source: 'SmartRAG, arXiv 2410.18141, values of its code',
  range: [-1, 2],
  steps: ['search'],
  clauses: ({ em, f1, answer, searches, formatValid, faults }) => [
    clause('answer', em + f1, answer),
    ...searches.map(({ evidence }) => clause('search', SEARCH, evidence)),
    clause('format', formatValid ? 0 : -1, faults.flat()),
  ],
});
