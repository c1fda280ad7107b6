import type { RewardClause } from '../../data/rollout.ts';
import type { RewardFacts } from './facts.ts';

/*
 * R1-Searcher (2503.05592), Search-R1 (2503.09516), ReSearch (2503.19470), and plain answer scores. The
 * protocol is Forage's in all of them; "format" means that the output follows it throughout.
 */

const clause = (
  name: string,
  value: number,
  evidence: RewardClause['evidence'] = [],
): RewardClause => ({ clause: name, value, weight: 1, evidence });

/** R1-Searcher, stage 1: 0.5 for retrieving, 0.5 for the format; the answer does not count. */
export function r1SearcherStage1(facts: RewardFacts): RewardClause[] {
  const answered = facts.queries.filter((query) => query.answered);
  return [
    clause(
      'retrieval',
      answered.length > 0 ? 0.5 : 0,
      answered.flatMap((q) => q.evidence),
    ),
    clause('format', facts.formatValid ? 0.5 : 0, facts.faults.flat()),
  ];
}

/** R1-Searcher, stage 2: F1, and −2 (base models) for any fault of format. */
export const r1SearcherStage2 = (facts: RewardFacts): RewardClause[] => [
  clause('answer', facts.f1, facts.answer),
  clause('format', facts.formatValid ? 0 : -2, facts.faults.flat()),
];

/** Search-R1: exact match alone. */
export const searchR1 = (facts: RewardFacts): RewardClause[] => [
  clause('answer', facts.em, facts.answer),
];

/** ReSearch: 0 where malformed, else F1, else 0.1 for the format. */
export const research = (facts: RewardFacts): RewardClause[] => [
  clause('answer', facts.formatValid ? facts.f1 : 0, facts.answer),
  clause('format', facts.formatValid && facts.f1 === 0 ? 0.1 : 0, facts.faults.flat()),
];

export const plainEm = (facts: RewardFacts): RewardClause[] => [
  clause('em', facts.em, facts.answer),
];

export const plainF1 = (facts: RewardFacts): RewardClause[] => [
  clause('f1', facts.f1, facts.answer),
];
