import { messageOf } from '../../../base/errors.ts';
import type { JudgeOutcome } from '../../../evaluate/judge/run.ts';
import type { PolicyRef } from '../../../records/setup.ts';
import { plural } from '../../kit/words/format.ts';
import { lab } from '../../lab/connection.ts';
import { reloadFiles } from '../store/browse-actions.ts';
import { useRollouts, type JudgeJob } from '../store/rollouts-store.ts';

/** Judging a file, in this tab; it continues on other pages. Verdicts are stored as they arrive. */

/** Verdicts are stored after this many, or after this time. */
const KEEP = { answers: 32, ms: 4000 };

let abort: AbortController | null = null;

const change = (part: Partial<JudgeJob>): void =>
  useRollouts.setState(({ judging }) => ({ judging: judging && { ...judging, ...part } }));

/** Collects verdicts and stores them in batches, in order. */
class VerdictWriter {
  readonly #fileId: string;
  #waiting: JudgeOutcome[] = [];
  #by = '';
  #last = performance.now();
  #keeping: Promise<void> = Promise.resolve();

  constructor(fileId: string) {
    this.#fileId = fileId;
  }

  add(outcome: JudgeOutcome, by: string): void {
    this.#waiting.push(outcome);
    this.#by = by;
    const due = this.#waiting.length >= KEEP.answers || performance.now() - this.#last > KEEP.ms;
    // After a failure the outcomes stay queued, and the last flush reports it.
    if (due) this.flush().catch(() => undefined);
  }

  /** Stores the queue after the current write. On failure it stays queued for the next flush. */
  flush(): Promise<void> {
    this.#last = performance.now();
    this.#keeping = this.#keeping
      .catch(() => undefined)
      .then(async () => {
        const outcomes = this.#waiting;
        if (outcomes.length === 0) return;
        this.#waiting = [];
        try {
          await lab().rollouts.keepVerdicts(this.#fileId, this.#by, outcomes);
        } catch (error) {
          this.#waiting = [...outcomes, ...this.#waiting];
          throw error;
        }
        useRollouts.setState(({ verdictsKept }) => ({ verdictsKept: verdictsKept + 1 }));
      });
    return this.#keeping;
  }

  /**
   * Stores the queue.
   * @returns the error text, empty on success. Never rejects.
   */
  async writeRest(): Promise<string> {
    try {
      await this.flush();
      return '';
    } catch (error) {
      return `${plural(this.#waiting.length, 'verdict')} could not be stored (${messageOf(error)}); judge again to request them again.`;
    }
  }
}

const both = (one: string, other: string): string =>
  other === '' ? one : `${one.replace(/\.?$/, '.')} ${other}`;

const ENDED = {
  complete: 'Every answer was judged.',
  cancelled: 'Stopped. The verdicts so far are kept; judge again to continue with the rest.',
  'gave-up':
    'The judge failed several times in a row, so judging stopped. See the reasons below; judge again to continue with the rest.',
} as const;

const count = (outcome: JudgeOutcome): void =>
  useRollouts.setState(({ judging }) => {
    if (!judging) return {};
    const verdict = outcome.status === 'judged' ? outcome.judgement.verdict : 'unreadable';
    const which = verdict === 'unreadable' ? 'notJudged' : verdict;
    return { judging: { ...judging, done: judging.done + 1, [which]: judging[which] + 1 } };
  });

/** Judges the answers of a file that have no verdict, or all. Never rejects. */
export const startJudging = async (
  fileId: string,
  ref: PolicyRef,
  again: boolean,
): Promise<void> => {
  if (abort) return;
  abort = new AbortController();
  const { signal } = abort;
  const judging: JudgeJob = {
    fileId,
    status: 'running',
    done: 0,
    total: 0,
    right: 0,
    wrong: 0,
    notJudged: 0,
    startedAt: performance.now(),
    words: null,
  };
  useRollouts.setState({ judging });
  const writer = new VerdictWriter(fileId);
  try {
    const items = await lab().rollouts.toJudge(fileId, again);
    change({ total: items.length, startedAt: performance.now() });
    const ended = await lab().ask.judge(
      ref,
      items,
      (outcome, by) => {
        writer.add(outcome, by);
        count(outcome);
      },
      signal,
    );
    change({ words: both(ENDED[ended], await writer.writeRest()) });
  } catch (error) {
    const why = signal.aborted
      ? ENDED.cancelled
      : `The judge could not be called: ${messageOf(error)}`;
    change({ words: both(why, await writer.writeRest()) });
  } finally {
    abort = null;
    change({ status: 'ended' });
    await reloadFiles();
  }
};

/** Cancels running calls and stores the verdicts so far; then the job ends. */
export const stopJudging = (): void => {
  change({ status: 'stopping' });
  abort?.abort(new Error('it was stopped'));
};

/** Seconds left at the rate so far; null before the first answer. */
export const judgingLeft = (
  { done, total, startedAt }: JudgeJob,
  now = performance.now(),
): number | null => (done === 0 ? null : ((now - startedAt) / 1000 / done) * (total - done));
