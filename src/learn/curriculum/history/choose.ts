import { groupBy } from '../../../base/items.ts';
import type { Question } from '../../../records/records.ts';
import { isWeakness, spread, weaknessBudget } from './spread.ts';

/** What is trained on after the steps that tell questions apart. */

/** Accuracies of a question, epoch by epoch, by its id. */
export type History = Readonly<Record<string, readonly number[]>>;

/** One-Shot RLVR: the questions whose accuracy spread most, in the order of the pool among equals. */
export const mostSpread = (
  pool: readonly Question[],
  history: History,
  count: number,
): Question[] =>
  [...pool]
    .sort((a, b) => spread(history[b.id] ?? []) - spread(history[a.id] ?? []))
    .slice(0, count);

/** SwS's category: form, hops and the relation that is asked for last. */
export const categoryOf = ({ type, hops, composition = '' }: Question): string =>
  `${type ?? ''} ${hops ?? ''} ${composition.split('>').at(-1) ?? ''}`;

/**
 * SwS: further questions of the categories in which the policy is weak, as many of each as its share of weaknesses.
 * @param fresh questions that the pool does not hold
 * @param budget all of them together, at most
 */
export function weaknessQuestions(
  pool: readonly Question[],
  fresh: readonly Question[],
  history: History,
  budget: number,
): Question[] {
  const byCategory = groupBy(pool, categoryOf);
  const categories = [...byCategory.keys()];
  const ratios = [...byCategory.values()].map(
    (own) => own.filter(({ id }) => isWeakness(history[id] ?? [])).length / own.length,
  );
  const counts = weaknessBudget(ratios, budget);
  const ofFresh = groupBy(fresh, categoryOf);
  return categories.flatMap((name, i) => ofFresh.get(name)?.slice(0, counts[i]) ?? []);
}
