import type { RewardClause } from '../../data/rollout.ts';
import type { RewardFacts } from './facts.ts';

/*
 * UR², equations (4) and (5) of arXiv 2508.06165, the paper's version. Departures:
 * - The protocol is Forage's; a violation is a breach of it, a query of 20 words or more, or an output
 *   without answer. A missing retrieval is a violation in the first stage only, which is there to make
 *   the policy search.
 * - A fallback is a query that the environment answered with a hint instead of passages; a call that
 *   failed is none, nor is a query over the rollout's budget.
 */

/** Queries must have fewer words. */
const QUERY_WORDS = 20;

const isLong = (query: string): boolean => query.split(/\s+/).filter(Boolean).length >= QUERY_WORDS;

function violations(facts: RewardFacts, needsRetrieval: boolean) {
  const long = facts.queries.filter((query) => isLong(query.text));
  const missing = Number(facts.form === null && facts.faults.length === 0);
  const idle = Number(needsRetrieval && facts.queries.length === 0);
  return {
    count: facts.faults.length + long.length + missing + idle,
    evidence: [...facts.faults.flat(), ...long.flatMap((query) => query.evidence)],
  };
}

function fallback(facts: RewardFacts): RewardClause {
  const refused = facts.queries.filter((query) => query.refused);
  return {
    clause: 'fallback',
    value: refused.length === 0 ? 0 : -0.5 * refused.length,
    weight: 1,
    evidence: refused.flatMap((query) => query.evidence),
  };
}

/** (4): +1 for a clean format, −1 a violation; +3 for one valid query, +4 for more; −0.5 a fallback. */
export function ur2Stage1(facts: RewardFacts): RewardClause[] {
  const { count, evidence } = violations(facts, true);
  const valid = facts.queries.filter((query) => query.answered && !isLong(query.text));
  return [
    { clause: 'format', value: count === 0 ? 1 : -count, weight: 1, evidence },
    {
      clause: 'retrieval',
      value: [0, 3, 4][Math.min(2, valid.length)]!,
      weight: 1,
      evidence: valid.flatMap((query) => query.evidence),
    },
    fallback(facts),
  ];
}

/** (5): 2 for a right answer, 1 for a clean format, −0.5 a fallback. */
export function ur2Stage2(facts: RewardFacts): RewardClause[] {
  const { count, evidence } = violations(facts, false);
  return [
    { clause: 'answer', value: 2 * facts.em, weight: 1, evidence: facts.answer },
    { clause: 'format', value: Number(count === 0), weight: 1, evidence },
    fallback(facts),
  ];
}
