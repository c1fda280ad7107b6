import type { RunRequest } from '../../../lab/contract/settings.ts';
import type { MechanismId } from '../../kit/rounds/round-words.ts';

/** What a run came to: of one rollout, or as means over several. */
export interface Outcome {
  /** The answer given most often. */
  answer: string;
  rollouts: number;
  /** How many are right by exact match; null without a reference answer. */
  right: number | null;
  searches: number;
  /** Of a rollout. */
  seconds: number;
}

/** The run before a mechanism was switched, and the run after. */
export interface Comparison {
  mechanism: MechanismId;
  /** Whether the mechanism acted before. */
  wasOn: boolean;
  before: Outcome;
  /** The request of the run after. */
  after: RunRequest;
}
