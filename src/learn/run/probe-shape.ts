/** What a probe measured on this device: plain numbers, which are stored and from which times are predicted. */

/** One rollout of a probe, in tokens. */
export interface ProbedRollout {
  /** Written by the policy as far as it came, and to be expected of it where it was cut short. */
  decoded: number;
  expected: number;
  /** Given before the first written token; rollouts of one question share its prefill. */
  prompt: number;
  /** Given later: results. */
  read: number;
  searches: number;
  right: boolean;
  formatValid: boolean;
  /** Null where the reward needs more than the rollout. */
  reward: number | null;
}

export interface ProbeWave {
  rollouts: readonly ProbedRollout[];
  /** Rollouts of one question. */
  group: number;
  /** Of all of them, at once. */
  seconds: number;
}

export interface Probe {
  format: 'forage.probe/1';
  /** ISO 8601. */
  at: string;
  engines: number;
  /** Contexts that an engine decodes together at most. */
  slots: number;
  /** Growing ones; the last is nearest to a step. */
  waves: readonly ProbeWave[];
  /** Seconds of one token of each of this many contexts of an engine, all engines at work. */
  decode: readonly { contexts: number; seconds: number }[];
  /** Seconds of a token of given text on one engine. */
  prefill: number;
  /**
   * Seconds of a token that is computed, all engines at work: update, and scoring; null where there was nothing to train.
   * A prompt that contexts of a micro-batch share is computed once.
   */
  update: number | null;
  score: number | null;
  /** Most tokens of a micro-batch. */
  microTokens: number;
  /** That all engines held after it. */
  bytes: number;
}
