import type { Rollout } from '../../records/rollout.ts';
import { createJudge } from '../../evaluate/judge/judge.ts';
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
