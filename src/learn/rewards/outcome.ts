import { clause } from './parts/clause.ts';
import { fixedReward } from './parts/definition.ts';

/** Plain answer scores: exact match and F1 (docs/methods.md, section 5), no clause for anything else. */

const SOURCE = 'SQuAD 1.1, evaluate-v1.1.py';

export const plainEm = fixedReward({
  id: 'em',
  name: 'Exact match (SQuAD)',
  source: SOURCE,
  formula: 'R = EM',
  range: [0, 1],
  clauses: (facts) => [clause('em', facts.em, facts.answer)],
});

export const plainF1 = fixedReward({
  id: 'f1',
  name: 'F1 (SQuAD)',
  source: SOURCE,
  formula: 'R = F1',
  range: [0, 1],
  clauses: (facts) => [clause('f1', facts.f1, facts.answer)],
});
