import type { NoScore } from '../contract/rollouts.ts';
import { hasScore, type Criterion } from '../../evaluate/rollouts/compare-runs.ts';
import { factsOfRow, type RolloutRow } from '../../evaluate/rollouts/row.ts';

/** Null where a rollout has the score. */
export function noScoreOf(rows: readonly RolloutRow[], criterion: Criterion): NoScore | null {
  if (rows.length === 0) return 'empty';
  const facts = rows.map(factsOfRow);
  if (facts.some((one) => hasScore(one, criterion))) return null;
  if (criterion === 'judge') return 'no-verdict';
  // By SQuAD's normaliser there is one: the other one's was not counted yet.
  if (facts.some(({ scores }) => scores !== null)) return 'older';
  return facts.some(({ golds, unread }) => golds && unread) ? 'not-scored' : 'no-gold';
}
