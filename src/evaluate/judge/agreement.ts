import { exactMatch } from '../../agent/answers/scores.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { JudgeItem, JudgeOutcome } from './run.ts';

/** How a judge's verdicts and exact match go together, and where they part. */

export interface JudgeAgreement {
  /** Answers with a readable verdict. */
  n: number;
  bothRight: number;
  bothWrong: number;
  /** The judge says right, EM 0: mostly another wording. */
  judgeOnly: number;
  /** EM 1, the judge says wrong: mostly a judge's mistake. */
  emOnly: number;
  /** Share of equal opinions; null without verdicts. */
  agreement: number | null;
  /** Cohen's κ: agreement beyond chance; null without verdicts, or where chance alone explains all. */
  kappa: number | null;
  unreadable: number;
  failed: number;
}

/** @param pairs one a readable verdict */
export function agreementOf(
  pairs: readonly { judge: boolean; em: boolean }[],
): Omit<JudgeAgreement, 'unreadable' | 'failed'> {
  const tally = (judge: boolean, em: boolean): number =>
    pairs.filter((pair) => pair.judge === judge && pair.em === em).length;
  const [bothRight, bothWrong] = [tally(true, true), tally(false, false)];
  const [judgeOnly, emOnly] = [tally(true, false), tally(false, true)];
  const n = pairs.length;
  const agreement = n === 0 ? null : (bothRight + bothWrong) / n;
  const judged = (bothRight + judgeOnly) / Math.max(1, n);
  const matched = (bothRight + emOnly) / Math.max(1, n);
  const chance = judged * matched + (1 - judged) * (1 - matched);
  const kappa = agreement === null || chance >= 1 ? null : (agreement - chance) / (1 - chance);
  return { n, bothRight, bothWrong, judgeOnly, emOnly, agreement, kappa };
}

/** The judge against EM over a run; unreadable and failed answers are counted, never as wrong. */
export function judgeAgreement(
  items: readonly JudgeItem[],
  outcomes: readonly JudgeOutcome[],
): JudgeAgreement {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const pairs: { judge: boolean; em: boolean }[] = [];
  let unreadable = 0;
  let failed = 0;
  for (const { id, golds, prediction } of items) {
    const outcome = byId.get(id);
    if (outcome?.status === 'failed') failed += 1;
    if (outcome?.status !== 'judged') continue;
    const { verdict } = outcome.judgement;
    if (verdict === 'unreadable') unreadable += 1;
    else pairs.push({ judge: verdict === 'right', em: exactMatch(prediction, golds) === 1 });
  }
  return { ...agreementOf(pairs), unreadable, failed };
}

/** What a judge needs of a rollout. */
export const judgeItemOf = ({
  id,
  question,
  answer,
  notScored,
}: Pick<ImportedRollout, 'id' | 'question' | 'answer' | 'notScored'>): JudgeItem => ({
  id,
  question: question.text,
  golds: question.answers,
  prediction: answer,
  notScored,
});

/**
 * The rollout with the verdict in it, as a file with verdicts would have it: rows, filters and the
 * queue of disagreements read it there. Without a readable verdict the rollout stays as it was.
 */
export function withVerdict<R extends Pick<ImportedRollout, 'judge'>>(
  rollout: R,
  outcome: JudgeOutcome,
): R {
  if (outcome.status !== 'judged') return rollout;
  const { verdict, by } = outcome.judgement;
  if (verdict === 'unreadable') return rollout;
  return { ...rollout, judge: { verdict: verdict === 'right', by } };
}
