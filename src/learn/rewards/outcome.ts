import type { RewardClause } from '../../records/rollout.ts';
import { clause } from './clause.ts';
import type { RewardFacts } from './facts.ts';

/** Plain answer scores: exact match and F1 (docs/methods.md, section 5), no clause for anything else. */

export const plainEm = (facts: RewardFacts): RewardClause[] => [
  clause('em', facts.em, facts.answer),
];

export const plainF1 = (facts: RewardFacts): RewardClause[] => [
  clause('f1', facts.f1, facts.answer),
];
