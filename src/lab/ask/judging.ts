import type { Rollout } from '../../records/rollout.ts';
import { createJudge } from '../../evaluate/judge/judge.ts';
import { judgeAnswers, type JudgeItem, type JudgeRun } from '../../evaluate/judge/run.ts';
import type { OnJudged } from '../contract/ask.ts';
import type { TextModel } from '../../policy/text-model.ts';

/**
 * LJ over rollouts that ended: each with gold answers gets the judge's verdict; null where its reply
 * could not be read.
 * @throws what the model throws; the signal's reason
 */
export async function judgeRollouts(
  rollouts: readonly Rollout[],
  model: TextModel,
  signal: AbortSignal,
  onJudged: (rollout: Rollout) => void,
): Promise<void> {
  const judge = createJudge(model);
  for (const rollout of rollouts) {
    const { question, answer } = rollout;
    if (question.answers.length === 0 || answer === null) continue;
    const asked = { question: question.text, golds: question.answers, prediction: answer };
    const { verdict, by } = await judge.judge(asked, signal);
    const read = verdict === 'unreadable' ? null : verdict === 'right';
    onJudged({ ...rollout, judge: { verdict: read, by } });
  }
}

/** How a judge of many answers is asked. */
const ASKING = { concurrency: 4, timeoutMs: 120_000 };

/** LJ over many answers, each told as it ends. */
export async function judgeBulk(
  model: TextModel,
  items: readonly JudgeItem[],
  onOutcome: OnJudged,
  signal: AbortSignal,
): Promise<JudgeRun['ended']> {
  const judge = createJudge(model, { clock: () => performance.now() });
  const { ended } = await judgeAnswers(judge, items, {
    ...ASKING,
    signal,
    onOutcome: (outcome) => onOutcome(outcome, judge.id),
  });
  return ended;
}
