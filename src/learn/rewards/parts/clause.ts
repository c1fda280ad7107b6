import type { RewardClause, Rollout } from '../../../records/rollout.ts';
import type { RewardFacts } from './facts.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';

/** A clause of weight 1. */
export const clause = (
  name: string,
  value: number,
  evidence: RewardClause['evidence'] = [],
): RewardClause => ({ clause: name, value, weight: 1, evidence });

/** Σ weight · value. */
export const totalReward = (clauses: readonly RewardClause[]): number =>
  clauses.reduce((sum, { value, weight }) => sum + weight * value, 0);

export function addClause(rollout: Rollout, clause: RewardClause): void {
  rollout.rewards = [...rollout.rewards, clause];
  rollout.reward = totalReward(rollout.rewards);
}

/** Adds a clause that moves the reward by `value`. */
export const addToReward = (rollout: Rollout, name: string, value: number): void =>
  addClause(rollout, clause(name, value));

export const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** Where the queries stand that brought passages back. */
export const answeredEvidence = (facts: RewardFacts): Span[] =>
  facts.queries.flatMap((query) => (query.answered ? query.evidence : []));

/** Clauses that hold a verdict on a thought (FSPO). */
export const FACT = 'fact';
