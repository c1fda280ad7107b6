import { applyUpdate } from '../../../agent/apply.ts';
import type { RolloutUpdate } from '../../../records/updates.ts';
import type { Rollout } from '../../../records/rollout.ts';

/** The rollouts of one run. */
export interface RolloutTable {
  /** As they began; a fork after the one that it left, from when it is asked for. */
  order: readonly string[];
  byId: Readonly<Record<string, Rollout>>;
  /** Ids of rollouts that ended. */
  finished: Readonly<Record<string, true>>;
}

/** Before the first rollout of a run. */
export const EMPTY_TABLE: RolloutTable = { order: [], byId: {}, finished: {} };

/**
 * Applies updates in order and returns a new table; objects of rollouts that no update names are
 * kept as they are, so that their columns need no drawing. Updates of a rollout that never started
 * (a run that was left behind) are dropped.
 */
export const applyUpdates = (
  table: RolloutTable,
  updates: readonly RolloutUpdate[],
): RolloutTable => {
  if (updates.length === 0) return table;
  const byId: Record<string, Rollout> = { ...table.byId };
  let { order, finished } = table;
  for (const update of updates) {
    const { rolloutId } = update;
    const rollout = applyUpdate(byId[rolloutId] ?? null, update);
    if (!rollout) continue;
    // One that is expected has its place already.
    if (!byId[rolloutId] && !order.includes(rolloutId)) order = [...order, rolloutId];
    if (update.type === 'finished') finished = { ...finished, [rolloutId]: true };
    byId[rolloutId] = rollout;
  }
  return { order, byId, finished };
};
