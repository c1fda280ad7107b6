import { groupBy } from '../../../base/items.ts';
import { mean } from '../../../base/statistics.ts';
import type { PlannedRollout } from './plan.ts';

/** How long the rollouts that are to be made will take. */

/** A rollout that was made on this device. */
export interface Measured {
  recipe: string;
  /** Id of its policy. */
  policy: string;
  /** Its share of the wall time. */
  seconds: number;
}

export interface Expected {
  /** Null where this device has not run one of the policies. */
  seconds: number | null;
  /** What it rests on, as text. */
  basis: string;
}

/** Rollouts that are timed where a policy was never run: they fill its slots. */
const TIMED = 32;

/**
 * The rollouts that tell how long the others take, of every policy that this device has not run: the first of the plan,
 * which go through its systems, and at most a quarter of what is to be made with it. They are made anyway.
 * @param policies id of the policy at each place of the plan
 */
export function toBeTimed(
  todo: readonly PlannedRollout[],
  policies: readonly string[],
  measured: readonly Measured[],
): PlannedRollout[] {
  const known = new Set(measured.map(({ policy }) => policy));
  return [...groupBy(todo, ({ policy }) => policies[policy] ?? '')].flatMap(([policy, own]) => {
    const systems = new Set(own.map(({ system }) => system)).size;
    const most = Math.min(Math.max(TIMED, systems), Math.ceil(own.length / 4));
    return known.has(policy) ? [] : own.slice(0, most);
  });
}

/**
 * A system takes what the rollouts of its recipe took with the same policy, one that was never run the mean of
 * all that were.
 * @param policies id of the policy at each place of the plan
 */
export function expectedSeconds(
  todo: readonly PlannedRollout[],
  policies: readonly string[],
  measured: readonly Measured[],
): Expected {
  if (todo.length === 0) return { seconds: 0, basis: 'every rollout exists already' };
  const secondsOf = new Map<string, number>();
  const add = (key: string, list: readonly Measured[]): void => {
    if (list.length > 0) secondsOf.set(key, mean(list.map(({ seconds }) => seconds)));
  };
  for (const policy of new Set(policies)) {
    const own = measured.filter((one) => one.policy === policy);
    add(policy, own);
    for (const recipe of new Set(own.map((one) => one.recipe)))
      add(
        `${policy} ${recipe}`,
        own.filter((one) => one.recipe === recipe),
      );
  }
  let known = 0;
  let seconds = 0;
  for (const { policy: at, recipe } of todo) {
    const policy = policies[at] ?? '';
    const one = secondsOf.get(`${policy} ${recipe.id}`) ?? secondsOf.get(policy);
    if (one !== undefined) known++;
    seconds += one ?? 0;
  }
  if (known === todo.length)
    return { seconds, basis: `from ${measured.length} earlier rollouts on this device` };
  const of = known === 0 ? '' : `, except for ${known} of ${todo.length} rollouts`;
  return { seconds: null, basis: `not measured on this device yet${of}` };
}
