import { itemAt } from '../../base/items.ts';
import type { HeldOutJudge } from '../../learn/rl/contracts.ts';
import type { Judge } from './judge.ts';
import { judgeReport } from './report.ts';
import { judgeAnswers, type JudgeItem, type JudgeRunOptions } from './run.ts';

/**
 * A judge beside EM in the held-out scores of a run. What it fails at is left out and said; training goes
 * on whatever becomes of it.
 */
export const heldOutJudge =
  (
    judge: Judge,
    asking: Pick<JudgeRunOptions, 'concurrency' | 'timeoutMs'>,
    onNotice: (line: string) => void,
  ): HeldOutJudge =>
  async (rollouts, { step, signal }) => {
    const items: JudgeItem[] = rollouts.map(({ id, question, answer }) => ({
      id,
      question: question.text,
      golds: question.answers,
      prediction: answer,
    }));
    const run = await judgeAnswers(judge, items, { ...asking, ...(signal && { signal }) });
    signal?.throwIfAborted();
    const { judged, right, agreement, notJudged, cost } = judgeReport(judge.id, items, run);
    if (notJudged.length > 0)
      onNotice(
        `The judge gave no verdict on ${notJudged.length} of ${items.length} held-out answers of step ${step}; the first: ${itemAt(notJudged, 0, 'answers').reason}`,
      );
    return {
      by: judge.id,
      judged,
      right,
      notJudged: notJudged.length,
      agreement: agreement.agreement,
      kappa: agreement.kappa,
      tokens: cost.promptTokens + cost.completionTokens,
      seconds: cost.seconds,
    };
  };
