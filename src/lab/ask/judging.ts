import type { PolicyRef, Setup } from '../../records/setup.ts';
import { messageOf } from '../../base/errors.ts';
import { WorkerLost } from '../contract/failures.ts';
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
async function judgeRollouts(
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

/**
 * Judges the rollouts of a run by a model that is opened for it.
 * @throws Error where the judge fails; what was lost as itself, so that it is started again
 */
export async function judgeRunOf(
  rollouts: readonly Rollout[],
  { judge }: Pick<Setup, 'judge'>,
  open: (ref: PolicyRef) => Promise<TextModel>,
  signal: AbortSignal,
  onJudged: (rollout: Rollout) => void,
): Promise<void> {
  if (judge.kind === 'off' || signal.aborted) return;
  try {
    await judgeRollouts(rollouts, await open(judge.policy), signal, onJudged);
  } catch (error) {
    if (signal.aborted || error instanceof WorkerLost) throw error;
    throw new Error(
      `The judge could not be asked. Rollouts and exact matches are kept; choose another judge, or none, and run again. It said: ${messageOf(error)}`,
      { cause: error },
    );
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
  const told: Promise<void>[] = [];
  const { ended } = await judgeAnswers(judge, items, {
    ...ASKING,
    signal,
    onOutcome: (outcome) => told.push(Promise.resolve(onOutcome(outcome, judge.id))),
  });
  // The page hears nothing of a call that has ended: the last answers must have arrived.
  await Promise.all(told);
  return ended;
}
