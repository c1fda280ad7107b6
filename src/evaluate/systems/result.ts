/** What an evaluation of several systems over the same questions found: plain values, from which every table and picture is made. */

/** A row of the table: one recipe, whole or changed, with one policy. */
export interface EvaluatedSystem {
  /** Unique within the evaluation. */
  id: string;
  title: string;
  /** Id of the recipe, or of the one that a custom system was made from. */
  recipe: string;
  /** What the recipe is put together from, as `about.parts` says. */
  parts: readonly string[];
  /** Base policy, a run's adapter at a step, or a server, as text. */
  policy: string;
  /** What is searched and how, as text, where the evaluation changes it; absent: the system's own setting. */
  retrieval?: string;
  /** Where it leaves its paper, one sentence each; absent of a system without a paper. */
  departures?: readonly string[];
  /** What a custom system changes in its recipe: setting, old value, new value. */
  changes?: readonly { setting: string; from: unknown; to: unknown }[];
  /** A figure of its paper: never to be compared with one measured here. */
  published: { figure: string; benchmark: string; model: string } | null;
  /** What a run should show if the idea works. */
  signature: string | null;
}

/** A row that was asked for and is not run. */
export interface SkippedSystem extends EvaluatedSystem {
  /** Why its policy cannot run it, and what to do, in one sentence without its full stop. */
  reason: string;
}

export interface EvaluatedQuestion {
  /** Unique within the evaluation, over all worlds. */
  id: string;
  text: string;
  answers: readonly string[];
  /** Where it comes from: built-in, a world's seed, an imported set, as text. */
  world: string;
  type: string | null;
  hops: number | null;
  /** Where its supporting passages are; null where that is not known. */
  source: 'local' | 'web' | 'both' | null;
}

/** One system's rollout on one question with one seed. */
export interface EvaluatedRollout {
  system: string;
  question: string;
  seed: number;
  /** Id under which the rollout is stored. */
  rollout: string;
  answer: string | null;
  /** Prose outside the tags in place of an answer. */
  outside?: string;
  /** Scores between 0 and 1. */
  em: number;
  f1: number;
  coverEm: number;
  /** Null where nobody judged. */
  judge: number | null;
  /** Share of the supporting titles that were retrieved; null where the question names none. */
  recall: number | null;
  searches: number;
  webCalls: number;
  /** Tokens that the policy wrote. */
  tokens: number;
  /** Its share of the wall time: its own, over how many ran at a time. */
  seconds: number;
  formatValid: boolean;
  /** Supporting passages in the order of the chain: whether each was retrieved; empty where the question has no chain. */
  hopsFound: readonly boolean[];
}

export interface EvaluationResult {
  name: string;
  /** Content hash of what was asked for: systems, questions, seeds, settings. */
  hash: string;
  systems: readonly EvaluatedSystem[];
  /** What was asked for and is not run; absent in what was stored before there were any. */
  skipped?: readonly SkippedSystem[];
  questions: readonly EvaluatedQuestion[];
  seeds: readonly number[];
  /** What is there so far, in the order in which it was planned. */
  rollouts: readonly EvaluatedRollout[];
  /** Rollouts that were planned. */
  planned: number;
  /** Rollouts that failed, with what was wrong; they can be tried again. */
  failed: readonly { system: string; question: string; seed: number; message: string }[];
}
