import type { Question } from '../../records/records.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Bucket } from './levelled.ts';
import { nextByShare } from './levelled.ts';

/**
 * UR²'s task mixing (arXiv 2508.06165, section 3.1.2): which task a question is, and which of its draws
 * may retrieve. In the paper 3,000 questions each of mathematics, open-domain QA and MedQA (4.1).
 */

export const TASKS = ['qa', 'arithmetic', 'choice'] as const;
export type Task = (typeof TASKS)[number];
type Shares = NonNullable<TrainSettings['curriculum']['tasks']>;

/**
 * `choice` has options; `arithmetic` is answered by a number that is computed, of what the question gives
 * or of what is looked up; anything else is `qa`.
 */
export function taskOf({ options = [], type }: Pick<Question, 'options' | 'type'>): Task {
  if (options.length > 0) return 'choice';
  return type === 'arithmetic' || type === 'computation' ? 'arithmetic' : 'qa';
}

/** How many of a pool of `size` come from each task: by its share, as far as there are questions. */
export function poolSizes(
  shares: Shares,
  available: Readonly<Record<Task, number>>,
  size: number,
): Record<Task, number> {
  const taken: Record<Task, number> = { qa: 0, arithmetic: 0, choice: 0 };
  for (let drawn = 0; drawn < size; drawn++) {
    const left = {
      qa: available.qa - taken.qa,
      arithmetic: available.arithmetic - taken.arithmetic,
      choice: available.choice - taken.choice,
    };
    const next = nextByShare(TASKS, (task) => shares[task], left, taken);
    if (next === null) break;
    taken[next]++;
  }
  return taken;
}

/** How a task's draws so far divide. */
export interface Divided {
  retrieving: number;
  plain: number;
}

/**
 * Whether a draw may retrieve. Retrieval QA always may, since its facts have to be looked up; arithmetic
 * where it is hard; of multiple choice hard ones, until they are half of all draws of it. Questions of the
 * cold start always may: it teaches to search.
 */
export function retrievalAllowed(task: Task, bucket: Bucket, sofar: Divided): boolean {
  if (bucket === 'dropped' || task === 'qa') return true;
  if (bucket !== 'hard') return false;
  return task === 'arithmetic' || sofar.retrieving <= sofar.plain;
}

/** Questions by task, in their order. */
export const byTask = <Q extends Question>(questions: readonly Q[]): Record<Task, Q[]> => ({
  qa: questions.filter((one) => taskOf(one) === 'qa'),
  arithmetic: questions.filter((one) => taskOf(one) === 'arithmetic'),
  choice: questions.filter((one) => taskOf(one) === 'choice'),
});
