/** What one step of training leaves behind, `forage.step/1`: every number that a chart may draw. */

export interface HeldOutScore {
  /** Questions scored. */
  n: number;
  em: number;
  f1: number;
  recall: number;
  searches: number;
  formatValid: number;
}

export interface RouterStep {
  calls: number;
  /** Mean π(local | s) and reward over the calls of each kind of question, by type. */
  byKind: Record<string, { calls: number; local: number; reward: number }>;
  /** Means over local and web calls; null where there were none. */
  latencyMs: { local: number | null; web: number | null };
  recallGained: { local: number | null; web: number | null };
  reward: number;
  gradientNorm: number;
}

export interface TrainStep {
  format: 'forage.step/1';
  runId: string;
  /** From 1. */
  step: number;
  /** Which stage of the settings, from 0. */
  stage: number;
  /** ISO 8601. */
  at: string;
  rollouts: number;
  groups: number;
  /** Groups whose rewards were all equal, and generation batches that were drawn. */
  zeroVarianceGroups: number;
  generationBatches: number;
  reward: {
    mean: number;
    std: number;
    /** Mean weighted value of each clause. */ clauses: Record<string, number>;
  };
  /** Means over the rollouts of the step, temperature of the run. */
  em: number;
  f1: number;
  recall: number;
  searches: number;
  formatValid: number;
  /** Policy tokens a rollout, mean; and their mean entropy in nats as the sampler saw it: of the distribution that it drew from. */
  responseTokens: number;
  entropy: number;
  loss: number;
  /** Mean k3 to the reference (adapter off), nats a token; null where not computed. */
  kl: number | null;
  /** Share of trained tokens whose ratio was clipped. */
  clipShare: number;
  /** Largest and mean |log-probability of the trainer − of the sampler|, nats. */
  samplerGap: { max: number; mean: number };
  /** Before clipping. */
  gradientNorm: number;
  learningRate: number;
  /** Tokens that the policy wrote, and tokens that went through the trainer. */
  sampledTokens: number;
  trainedTokens: number;
  /** Sampled tokens a second of the rollout phase. */
  tokensPerSecond: number;
  seconds: { rollout: number; update: number; heldOut: number; checkpoint: number; total: number };
  /** Questions drawn, by name of the curriculum's class (`hard`, `gold`, `noisy` …). */
  drawn: Record<string, number>;
  heldOut: HeldOutScore | null;
  router: RouterStep | null;
}
