import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * Collab-RAG (arXiv 2504.04915, section 3.3): r(plan) = [the plan is well formed] · [the reader's final answer is right]. A plan
 * that cannot be read is worked off as the question itself, so that its answer may be right all the same.
 */
export const collabRag = fixedReward({
  id: 'collab-rag',
  name: 'Collab-RAG',
  source: 'Collab-RAG, arXiv 2504.04915, section 3.3',
  range: [0, 1],
  clauses: ({ em, planned, answer }) => [clause('answer', planned ? em : 0, answer)],
});
