import { countSearches } from '../../../records/searches.ts';
import type { Rollout } from '../../../records/rollout.ts';

/** The cost of a rollout, whether or not its question has gold. */
export interface Measures {
  searches: number;
  /** Tokens that the policy wrote. */
  tokens: number;
  seconds: number;
}

/** From the record's metrics, or counted from the events if a question without gold has none. */
export const measuresOf = (rollout: Rollout): Measures => {
  if (rollout.metrics) return rollout.metrics;
  const written = rollout.segments.filter((segment) => segment.source === 'policy');
  return {
    searches: countSearches(rollout.events),
    tokens: written.reduce((sum, segment) => sum + segment.ids.length, 0),
    seconds: (rollout.events.at(-1)?.t ?? 0) / 1000,
  };
};

/**
 * What interrupted a rollout from outside, in one word; null if it ended by its own rules. An
 * interrupted rollout says nothing about the policy, so it is not scored.
 */
export const interruptionOf = (rollout: Pick<Rollout, 'events'>): string | null => {
  const last = rollout.events.at(-1);
  if (last?.kind !== 'stop') return null;
  if (last.reason === 'cancelled') return 'cancelled';
  return last.reason === 'error' ? 'ended by an error' : null;
};
