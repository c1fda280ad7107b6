import type { Rollout } from '../data/rollout.ts';
import type { RolloutUpdate } from './updates.ts';

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
  const grown = {
    ...known,
    text: known.text + update.text,
    ids: [...known.ids, ...update.ids],
    logprobs: [...(known.logprobs ?? []), ...update.logprobs],
    entropies: [...(known.entropies ?? []), ...update.entropies],
  };
  return { ...rollout, segments: rollout.segments.toSpliced(update.index, 1, grown) };
}
