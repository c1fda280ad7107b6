import { groupBy, itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Pair } from './dpo.ts';

/**
 * WebThinker's preferences over whole trajectories (arXiv 2504.21776, section 3.4), in this order: right over wrong; of
 * right ones, fewer tool calls; with equally many, the shorter one where the longer has more than γ times its tokens.
 * The paper gives no γ.
 */

/** What the order looks at. */
interface Course {
  right: boolean;
  /** Searches and other calls. */
  calls: number;
  /** Tokens that the policy wrote. */
  tokens: number;
}

/** Whether the first is preferred to the second. */
export function prefers(first: Course, second: Course, gamma: number): boolean {
  if (first.right !== second.right) return first.right;
  if (!first.right) return false;
  if (first.calls !== second.calls) return first.calls < second.calls;
  return first.tokens > 0 && second.tokens / first.tokens > gamma;
}

const courseOf = ({ metrics, events, segments }: Rollout): Course => ({
  right: metrics?.em === 1,
  calls:
    (metrics?.searches ?? 0) +
    events.filter((event) => event.kind === 'block' && event.reply !== undefined).length,
  tokens: sum(segments.map(({ ids, source }) => (source === 'policy' ? ids.length : 0))),
});

/** All pairs of rollouts of one group of which the first is preferred. */
export function efficientPairs(
  rollouts: readonly Rollout[],
  groups: ArrayLike<number>,
  gamma: number,
): Pair[] {
  const courses = rollouts.map(courseOf);
  const places = rollouts.map((_, i) => ({ i, group: groups[i] }));
  return [...groupBy(places, ({ group }) => group).values()].flatMap((members) =>
    members.flatMap(({ i: chosen }) =>
      members.flatMap(({ i: rejected }) =>
        prefers(itemAt(courses, chosen), itemAt(courses, rejected), gamma)
          ? [{ chosen, rejected }]
          : [],
      ),
    ),
  );
}
