import { applyUpdate } from '../../../agent/apply.ts';
import type { RolloutUpdate } from '../../../records/updates.ts';
import type { Rollout } from '../../../records/rollout.ts';

/** The rollouts of one run. */
export interface RolloutTable {
  /** In order of start; a fork follows its source from the time it is requested. */
  order: readonly string[];
  byId: Readonly<Record<string, Rollout>>;
  /** Ids of rollouts that ended. */
  finished: Readonly<Record<string, true>>;
}

/** Before the first rollout of a run. */
export const EMPTY_TABLE: RolloutTable = { order: [], byId: {}, finished: {} };

/**
 * Applies updates in order and returns a new table; rollouts without an update keep their objects, so
 * their columns are not rendered again. Updates of unknown rollouts (of an earlier run) are dropped.
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
    // A pending fork already has its place.
    if (!byId[rolloutId] && !order.includes(rolloutId)) order = [...order, rolloutId];
    if (update.type === 'finished') finished = { ...finished, [rolloutId]: true };
    byId[rolloutId] = rollout;
  }
  return { order, byId, finished };
};
