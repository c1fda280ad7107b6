import { messageOf } from '../../base/errors.ts';
import type { Judge, Judgement } from './judge.ts';
import type { JudgedAnswer } from './prompt.ts';
import { itemAt } from '../../base/items.ts';

/** A judge over many answers. */

export interface JudgeItem extends JudgedAnswer {
  id: string;
  /** Why the answer cannot be read: there is nothing to judge then. */
  notScored?: string;
}

/** What became of one answer. */
export type JudgeOutcome =
  | { id: string; status: 'judged'; judgement: Judgement }
  /** There is no gold answer to judge against, or the rollout's own answer cannot be read. */
  | { id: string; status: 'skipped'; why: 'no-gold' | 'not-scored' }
  | { id: string; status: 'failed'; message: string };

interface JudgeProgress {
  done: number;
  total: number;
  right: number;
  wrong: number;
  unreadable: number;
  failed: number;
  skipped: number;
}

export interface JudgeRunOptions {
  /** Answers under judgement at once. */
  concurrency?: number;
  /** Failures one after another that end the run: the model is gone. */
  maxFailures?: number;
  /** Milliseconds until an answer counts as not judged; without limit by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Called once an answer, in the order in which they end. */
  onOutcome?: (outcome: JudgeOutcome, progress: JudgeProgress) => void;
}

export interface JudgeRun {
  /** In the order of the items; those that were not reached are missing. */
  outcomes: JudgeOutcome[];
  progress: JudgeProgress;
  /** Why it ended. */
  ended: 'complete' | 'cancelled' | 'gave-up';
}

const count = (progress: JudgeProgress, outcome: JudgeOutcome): void => {
  progress.done += 1;
  progress[outcome.status === 'judged' ? outcome.judgement.verdict : outcome.status] += 1;
};

/** A signal that also ends after a time, with a reason as text. */
function limited(
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
): { signal: AbortSignal | undefined; [Symbol.dispose](): void } {
  if (timeoutMs === undefined) return { signal, [Symbol.dispose]: () => undefined };
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`the judge gave no verdict within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  return {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Judges all answers. Never rejects: what was judged before a cancel or a failure is returned. */
export async function judgeAnswers(
  judge: Judge,
  items: readonly JudgeItem[],
  options: JudgeRunOptions = {},
): Promise<JudgeRun> {
  const { concurrency = 4, maxFailures = 5, timeoutMs, signal, onOutcome } = options;
  const outcomes: (JudgeOutcome | undefined)[] = items.map(() => undefined);
  const progress: JudgeProgress = {
    done: 0,
    total: items.length,
    right: 0,
    wrong: 0,
    unreadable: 0,
    failed: 0,
    skipped: 0,
  };
  let next = 0;
  let failures = 0;
  const one = async ({ id, notScored, ...answer }: JudgeItem): Promise<JudgeOutcome | null> => {
    if (answer.golds.length === 0) return { id, status: 'skipped', why: 'no-gold' };
    if (notScored !== undefined) return { id, status: 'skipped', why: 'not-scored' };
    using limit = limited(signal, timeoutMs);
    try {
      return { id, status: 'judged', judgement: await judge.judge(answer, limit.signal) };
    } catch (error) {
      if (signal?.aborted) return null;
      return {
        id,
        status: 'failed',
        message: messageOf(error),
      };
    }
  };
  const goesOn = (): boolean =>
    next < items.length && failures < maxFailures && signal?.aborted !== true;
  const worker = async (): Promise<void> => {
    while (goesOn()) {
      const index = next++;
      const outcome = await one(itemAt(items, index, 'answers'));
      if (!outcome) return;
      if (outcome.status !== 'skipped') failures = outcome.status === 'failed' ? failures + 1 : 0;
      outcomes[index] = outcome;
      count(progress, outcome);
      onOutcome?.(outcome, { ...progress });
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
  const whole = progress.done === items.length;
  return {
    outcomes: outcomes.filter((outcome) => outcome !== undefined),
    progress,
    ended: whole ? 'complete' : signal?.aborted ? 'cancelled' : 'gave-up',
  };
}
