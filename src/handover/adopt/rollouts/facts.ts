import { sum } from '../../../base/statistics.ts';
import { readFactsOf } from '../../../evaluate/rollouts/lint/facts.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';

/** What the numbers of a step need of one rollout: small, so that a run of any length can be counted. */
export interface RolloutFact {
  id: string;
  groupId: string;
  createdAt: string | null;
  reward: number | null;
  /** Weighted value of each clause. */
  clauses: [name: string, value: number][];
  /** Of the answer; null where it has no gold one, or cannot be read. */
  em: number | null;
  f1: number | null;
  /** Null where the question names no supporting titles, or nothing measured it. */
  recall: number | null;
  searches: number | null;
  formatValid: number | null;
  tokens: number | null;
  entropy: { sum: number; count: number };
}

const policyTokens = ({ segments }: ImportedRollout): number | null => {
  const own = segments.filter(({ source, mask }) => (mask ?? (source === 'policy' ? 1 : 0)) === 1);
  const counts = own.map(({ ids, tokens }) => (ids ?? tokens)?.length);
  return counts.every((count) => count !== undefined) ? sum(counts) : null;
};

export function factOf(rollout: ImportedRollout): RolloutFact {
  const { metrics, question } = rollout;
  const facts = metrics ? null : readFactsOf(rollout);
  const entropies = rollout.segments.flatMap(({ entropies: own = [], mask }) =>
    mask === 1 ? own.filter((value) => value !== null) : [],
  );
  return {
    id: rollout.id,
    groupId: rollout.groupId,
    createdAt: rollout.createdAt ?? null,
    reward: rollout.reward,
    clauses: rollout.rewards.map(({ clause, value, weight }) => [clause, value * weight]),
    em: metrics?.em ?? facts?.scores?.em ?? null,
    f1: metrics?.f1 ?? facts?.scores?.f1 ?? null,
    recall: question.supporting.length > 0 ? (metrics?.recall ?? null) : null,
    // Without a protocol nobody can tell what was searched.
    searches: metrics?.searches ?? (rollout.origin?.protocol ? (facts?.searches ?? null) : null),
    formatValid: metrics ? Number(metrics.formatValid) : null,
    tokens: metrics?.tokens ?? policyTokens(rollout),
    entropy: { sum: sum(entropies), count: entropies.length },
  };
}
