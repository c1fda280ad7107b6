import type { Rollout, Segment } from '../../data/rollout.ts';
import type { RolloutUpdate } from '../../agent/updates.ts';

/** The rollouts of one run, in the order in which they began. */
export interface RolloutTable {
  order: readonly string[];
  byId: Readonly<Record<string, Rollout>>;
  /** Ids of rollouts that ended. */
  finished: Readonly<Record<string, true>>;
}

export const EMPTY_TABLE: RolloutTable = { order: [], byId: {}, finished: {} };

const setAt = <T>(list: readonly T[], index: number, value: T): T[] => {
  if (index > list.length) throw new RangeError(`update ${index} came before ${list.length}`);
  const next = list.slice();
  next[index] = value;
  return next;
};

type TokensUpdate = Extract<RolloutUpdate, { type: 'tokens' }>;

const streamedSegment = (before: Segment | undefined, update: TokensUpdate): Segment => ({
  source: 'policy',
  role: before?.role ?? 'other',
  text: (before?.text ?? '') + update.text,
  ids: [...(before?.ids ?? []), ...update.ids],
  logprobs: [...(before?.logprobs ?? []), ...update.logprobs],
  entropies: [...(before?.entropies ?? []), ...update.entropies],
  mask: 1,
});

const applyToRollout = (rollout: Rollout, update: RolloutUpdate): Rollout => {
  switch (update.type) {
    case 'started':
    case 'finished':
      return update.rollout;
    case 'event':
      return { ...rollout, events: setAt(rollout.events, update.index, update.event) };
    case 'segment':
      return { ...rollout, segments: setAt(rollout.segments, update.index, update.segment) };
    case 'tokens': {
      const segment = streamedSegment(rollout.segments[update.index], update);
      return { ...rollout, segments: setAt(rollout.segments, update.index, segment) };
    }
  }
};

/**
 * Applies updates in order and returns a new table; objects of rollouts that no update names are
 * kept as they are, so that their columns need no drawing.
 * @throws RangeError where an update names an event or segment beyond the next one.
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
    const known = byId[rolloutId];
    if (update.type === 'started' && !known) order = [...order, rolloutId];
    if (update.type === 'finished') finished = { ...finished, [rolloutId]: true };
    if (known) byId[rolloutId] = applyToRollout(known, update);
    else if (update.type === 'started' || update.type === 'finished') {
      byId[rolloutId] = update.rollout;
      if (!order.includes(rolloutId)) order = [...order, rolloutId];
    } else throw new RangeError(`update of ${rolloutId}, which has not started`);
  }
  return { order, byId, finished };
};
