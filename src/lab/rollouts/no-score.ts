import { hasScore, type Criterion } from '../../evaluate/inspect/compare-runs.ts';
import { factsOfRow, type RolloutRow } from '../../evaluate/inspect/row.ts';

/**
 * Why no rollout of a file has a score:
 * - `empty`: it has no rollout yet;
 * - `older`: the file was read before the score was counted;
 * - `not-scored`: there are gold answers, and no answer can be read;
 * - `no-gold`: there are no gold answers;
 * - `no-verdict`: no judge has judged.
 */
export type NoScore = 'empty' | 'older' | 'not-scored' | 'no-gold' | 'no-verdict';

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
