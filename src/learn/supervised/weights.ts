import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import { membersOf } from '../advantages.ts';
import type { SupervisedStage } from '../../recipes/parts/stage-loss.ts';

/** What each trajectory of a question weighs where they are learned from by likelihood. */

type By = Extract<SupervisedStage, { kind: 'sft' }>['weight'];

/** Values that add up to 1, of any that are not negative; nothing where they are all 0. */
function shares(values: readonly number[]): number[] {
  const all = sum(values);
  return values.map((value) => (all > 0 ? value / all : 0));
}

/** softmax(log p); less its largest first, so that none overflows. */
function softmax(logs: readonly number[]): number[] {
  const most = Math.max(...logs);
  return shares(logs.map((log) => Math.exp(log - most)));
}

/**
 * - `right`: rejection sampling, the right ones of a question alike.
 * - `first`: the first right one of a question alone, as where sampling ends with it (RARE, 2503.23513).
 * - `likelihood`: ExSearch's w(z) = p(y*|x, z) / Σ p(y*|x, z') (arXiv 2505.20128).
 * - `best`: CoRAG's argmax of it (2501.14342); the earlier one of a tie.
 * - `uniform`: all of a question alike.
 * - `released`: ExSearch's code, −log p over its sum: it prefers worse ones.
 * @param logs ln p(y*|x, z) of each, at most 0
 * @returns weights that add up to 1 in every group that has any
 */
export function trajectoryWeights(
  by: By,
  {
    groups,
    right,
    logs,
  }: { groups: ArrayLike<number>; right: readonly boolean[]; logs: readonly number[] },
): Float64Array {
  const out = new Float64Array(right.length);
  for (const members of membersOf(groups)) {
    const own = members.map((i) => itemAt(logs, i, 'log-likelihoods'));
    const best = own.indexOf(Math.max(...own));
    const weights = {
      right: () => shares(members.map((i) => Number(right[i]))),
      first: () => members.map((i, at) => Number(at === members.findIndex((one) => right[one]))),
      likelihood: () => softmax(own),
      best: () => own.map((_, at) => Number(at === best)),
      uniform: () => shares(own.map(() => 1)),
      released: () => shares(own.map((log) => -log)),
    }[by]();
    members.forEach((i, at) => (out[i] = itemAt(weights, at)));
  }
  return out;
}
