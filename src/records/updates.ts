import type { AgentEvent } from './events.ts';
import type { Rollout, Segment } from './rollout.ts';

/** What a running rollout tells its listeners; applying all of them in order rebuilds the rollout. */
export type RolloutUpdate = { rolloutId: string } & (
  | { type: 'started'; rollout: Rollout }
  | { type: 'event'; index: number; event: AgentEvent }
  /** A segment was added at `index`, or replaced there once its role and text are final. */
  | { type: 'segment'; index: number; segment: Segment }
  /**
   * Tokens were appended to the last policy segment while it streams. Log-probabilities and entropies
   * are empty where the policy gives none.
   */
  | {
      type: 'tokens';
      index: number;
      ids: number[];
      logprobs: number[];
      entropies: number[];
      text: string;
    }
  | { type: 'finished'; rollout: Rollout }
);
