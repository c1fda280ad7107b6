import type { RewardClause } from '../../../records/rollout.ts';
import { goldsToScore, type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { totalReward } from '../../../learn/rewards/index.ts';
import { scoringFacts } from './facts.ts';
import { SCORERS, type Scorer } from './scorers.ts';

export interface Rescored {
  scorer: string;
  name: string;
  /** With the spans of text that earned or lost them. */
  clauses: RewardClause[];
  /** Σ weight · value; null where the record cannot give all clauses. */
  total: number | null;
  /** The total from the scorer's worst, 0, to its best, 1. */
  share: number | null;
  /** Clauses that the record cannot give, and why. */
  lacks: string[];
}

/**
 * A rollout under scorers, in their order; empty where the record has no gold answers, or its answer
 * cannot be read. The rollout is not changed.
 */
export function rescore(
  rollout: ImportedRollout,
  scorers: readonly Scorer[] = SCORERS,
): Rescored[] {
  if (goldsToScore(rollout).length === 0) return [];
  const facts = scoringFacts(rollout);
  return scorers.map(({ id, name, range, score }) => {
    const { clauses, lacks } = score(facts);
    const total = lacks.length > 0 ? null : totalReward(clauses);
    const [worst, best] = range;
    const share =
      total === null ? null : Math.min(1, Math.max(0, (total - worst) / (best - worst)));
    return { scorer: id, name, clauses, total, share, lacks };
  });
}
