import type { Rollout } from '../records/rollout.ts';
import type { RolloutUpdate } from '../records/updates.ts';

type Tokens = Extract<RolloutUpdate, { type: 'tokens' }>;

/** One column of a segment that grew; it is gone once it lacks a value for a token. */
function values<K extends 'logprobs' | 'entropies'>(
  column: K,
  known: readonly number[] | undefined,
  update: Tokens,
): Partial<Record<K, number[]>> {
  const added = update[column];
  if (!known || added.length !== update.ids.length) return {};
  return { [column]: [...known, ...added] } as Partial<Record<K, number[]>>;
}

/**
 * The rollout after one update, as a new object; what did not change is shared with the old one.
 * Applying all updates in order, from `null`, gives the finished record.
 */
export function applyUpdate(rollout: Rollout | null, update: RolloutUpdate): Rollout | null {
  if (update.type === 'started' || update.type === 'finished') return update.rollout;
  if (!rollout) return null;
  if (update.type === 'event') {
    return { ...rollout, events: rollout.events.toSpliced(update.index, 1, update.event) };
  }
  if (update.type === 'segment') {
    return { ...rollout, segments: rollout.segments.toSpliced(update.index, 1, update.segment) };
  }
  const known = rollout.segments[update.index];
  if (!known) return rollout;
  const { logprobs, entropies, ...rest } = known;
  const grown = {
    ...rest,
    text: known.text + update.text,
    ids: [...known.ids, ...update.ids],
    ...values('logprobs', logprobs, update),
    ...values('entropies', entropies, update),
  };
  return { ...rollout, segments: rollout.segments.toSpliced(update.index, 1, grown) };
}
