import { asksOf } from '../../learn/rewards/parts/asks.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * After AR-Bench (arXiv 2506.08295): exact match, and for each ask the share of the candidates that it is expected to leave
 * out, one step ahead. One of the paper's strategies chooses between asks by it; paying for them is ours.
 */
export const arBenchAsks = fixedReward({
  id: 'ar-bench',
  name: 'Exact match and what asks narrow',
  source: 'after AR-Bench, arXiv 2506.08295',
  range: [0, 2],
  steps: ['ask'],
  optional: ['ask'],
  clauses: (facts) => [
    clause('answer', facts.em, facts.answer),
    ...asksOf(facts).map(({ narrows, evidence }) => clause('ask', narrows, evidence)),
  ],
});
