import { groupBy, itemAt } from '../../base/items.ts';
import { mean, sum } from '../../base/statistics.ts';
import { retrievedPassages } from '../../agent/answers/long-answer.ts';
import type { Rollout } from '../../records/rollout.ts';

/** Which rollouts are kept as trajectories. */

/** Ids of questions that none of these rollouts answered right. */
export function unanswered(rollouts: readonly Rollout[]): Set<string> {
  const right = new Set(rollouts.filter(isRight).map(({ question }) => question.id));
  return new Set(rollouts.map(({ question }) => question.id).filter((id) => !right.has(id)));
}

export const isRight = ({ metrics }: Pick<Rollout, 'metrics'>): boolean => metrics?.em === 1;

/** Whether some query was asked again in the same words. */
export function repeats({ events }: Pick<Rollout, 'events'>): boolean {
  const queries = events.flatMap((event) =>
    event.kind === 'search' ? [event.query.trim().toLowerCase()] : [],
  );
  return new Set(queries).size < queries.length;
}

/**
 * Agent-Distillation (arXiv 2505.17612) keeps what ended with an answer of the policy's own and broke no rule; a call that
 * failed is kept.
 */
export const finished = ({ events }: Pick<Rollout, 'events'>): boolean =>
  events.some((event) => event.kind === 'stop' && event.reason === 'answer') &&
  !events.some((event) => event.kind === 'error' && event.what === 'malformed');

/** Whether a passage was shown that supports the answer; one that is right without it was recalled, or guessed. */
export function grounded({ events, question }: Pick<Rollout, 'events' | 'question'>): boolean {
  const supporting = new Set(question.supporting);
  const shown = retrievedPassages({ events });
  return shown.some(({ title }) => supporting.has(title));
}

/** Share of values that are less, those that are equal counting half; ½ of one alone. */
function percentiles(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length - 1;
    return values.length === 1 ? 0.5 : (below + equal / 2) / (values.length - 1);
  });
}

/** What Select2Reason ranks by: w · difficulty + (1 − w) · length, both as percentiles. */
export const jointRank = (difficulty: number, length: number, w: number): number =>
  w * difficulty + (1 - w) * length;

const lengthOf = ({ segments }: Rollout): number =>
  sum(segments.map(({ source, ids }) => (source === 'policy' ? ids.length : 0)));

/**
 * Select2Reason (arXiv 2505.17266): the share of questions with the highest joint rank of difficulty and length. Its
 * difficulty is a judge's; here it is the share of a question's rollouts that are wrong, and the length the mean of what
 * the policy wrote. Of equals the earlier question is taken.
 * @returns ids of the questions, at least one
 */
export function hardAndLong(
  rollouts: readonly Rollout[],
  { share, weight }: { share: number; weight: number },
): Set<string> {
  const questions = [...groupBy(rollouts, ({ question }) => question.id)];
  const difficulty = percentiles(
    questions.map(([, own]) => mean(own.map((one) => Number(!isRight(one))))),
  );
  const length = percentiles(questions.map(([, own]) => mean(own.map(lengthOf))));
  const ranked = questions
    .map(([id], i) => ({ id, rank: jointRank(itemAt(difficulty, i), itemAt(length, i), weight) }))
    .toSorted((a, b) => b.rank - a.rank);
  return new Set(
    ranked.slice(0, Math.max(1, Math.round(share * ranked.length))).map(({ id }) => id),
  );
}
