import type { StieCounts } from './stie.ts';

/**
 * What one step of training leaves behind, `forage.step/1`: every number that a chart may draw. A
 * measure is null where a step that another trainer made does not say it.
 */

export interface HeldOutScore {
  /** Questions scored. */
  n: number;
  em: number;
  f1: number;
  /** Over questions that name supporting titles; null where none does. */
  recall: number | null;
  searches: number;
  formatValid: number;
  /** By a judge (LJ) beside EM, where one was asked. */
  judge?: JudgedScore;
  /** That it took; absent in scores that were made elsewhere, or before it was kept. */
  seconds?: number;
  /** Question by question, in the order of the sample; absent where `seconds` is. */
  questions?: readonly HeldOutQuestion[];
}

/** How one held-out question was answered. */
export interface HeldOutQuestion {
  id: string;
  text: string;
  /** Gold, in its first spelling. */
  gold: string;
  answer: string | null;
  /** Prose outside the tags in place of an answer. */
  outside?: string;
  /** 0 or 1. */
  em: number;
  f1: number;
  searches: number;
}

/** Id of the group of a held-out question, by its place in the sample. @param step 0: before the first */
export const heldOutGroup = (runId: string, step: number, place: number): string =>
  `${runId}-held-out-${step}-${place}`;

/** Whether a group is that of a held-out question, by its id. */
export const isHeldOutGroup = (groupId: string): boolean => /-held-out-\d+-\d+$/.test(groupId);

/** What a judge says of held-out answers; those without a verdict are in no share. */
export interface JudgedScore {
  /** Model and version of the prompt. */
  by: string;
  judged: number;
  /** Share of `judged`; null without any. */
  right: number | null;
  notJudged: number;
  /** Share of equal opinions with EM, and Cohen's κ; null where there is none. */
  agreement: number | null;
  kappa: number | null;
  /** Read and written, as far as the model tells. */
  tokens: number;
  /** Of its calls, added up. */
  seconds: number;
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

/** Why a step made no update. */
export interface SkippedUpdate {
  /**
   * `equal-rewards`: in every group all rewards were equal, so that all advantages are 0;
   * `no-advantage`: rewards differed, and no trained token has an advantage;
   * `no-trained-tokens`: the mask or the sampling left no token to train;
   * `nothing-to-imitate`: a supervised stage found no rollout or pair to learn from.
   */
  why: 'equal-rewards' | 'no-advantage' | 'no-trained-tokens' | 'nothing-to-imitate';
  /** The reward of every rollout of the step, where all are equal. */
  reward?: number;
}

export interface TrainStep<Measure = number | null> {
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
  zeroVarianceGroups: Measure;
  generationBatches: Measure;
  reward: {
    mean: Measure;
    std: Measure;
    /** Mean weighted value of each clause. */ clauses: Record<string, number>;
  };
  /** Means over the rollouts of the step, temperature of the run. */
  em: Measure;
  f1: Measure;
  /** Over questions that name supporting titles; null where none does. */
  recall: number | null;
  searches: Measure;
  formatValid: Measure;
  /**
   * UR²: queries of the step that asked for reasoning and got the fallback sentence. Absent in steps whose
   * rollouts read no summaries, and in those that were made before it was kept.
   */
  fallbacks?: number;
  /**
   * Results of the step that the summarizer failed at, so that the policy read the passages themselves, and why the
   * first one; absent where there was none.
   */
  unsummarized?: { results: number; because: string };
  /** Policy tokens per rollout, mean; and their mean entropy in nats as the sampler saw it: of the distribution that it drew from. */
  responseTokens: Measure;
  entropy: Measure;
  /** Tokens per rollout that were mixtures, and the mean gate a over them (HRPO); absent if there were none. */
  latent?: { tokens: number; gate: number };
  loss: Measure;
  /** Mean k3 to the reference (adapter off), nats a token; null where not computed. */
  kl: number | null;
  /** What the KL weighed in the step; absent where that does not change. */
  klCoefficient?: number;
  /**
   * REX-RAG: mean ratio of the tokens of trained probes after the step's updates, to the behaviour that the loss takes; absent
   * where no clone was trained.
   */
  probeRatio?: number;
  /** Share of trained tokens whose ratio was clipped. */
  clipShare: Measure;
  /** Largest and mean |log-probability of the trainer − of the sampler|, nats. */
  samplerGap: { max: Measure; mean: Measure };
  /** Why the step made no update; absent where it made one, and where only the router is trained. */
  skipped?: SkippedUpdate;
  /** Before clipping. */
  gradientNorm: Measure;
  learningRate: Measure;
  /** Tokens that the policy wrote, and tokens that went through the trainer. */
  sampledTokens: Measure;
  trainedTokens: Measure;
  /** Sampled tokens per second of the rollout phase. */
  tokensPerSecond: Measure;
  seconds: Record<'rollout' | 'update' | 'heldOut' | 'checkpoint' | 'total', Measure>;
  /** Questions drawn, by name of the curriculum's class (`hard`, `gold`, `noisy` …). */
  drawn: Record<string, number>;
  heldOut: HeldOutScore | null;
  /** Of the policy before this step, after a warm-up: with the first step alone. */
  heldOutAtStart?: HeldOutScore;
  router: RouterStep | null;
  /** How often each clause of STIE fired in the rollouts of the step; absent where it judged nothing. */
  stie?: StieCounts;
}

/** A step that was made here: every number is known. */
export type MadeStep = TrainStep<number>;

/** One evaluation of a cold start, `forage.cold-start/1`: before its first update, as often as its settings say, and after its last. */
export interface ColdStartPoint {
  format: 'forage.cold-start/1';
  /** Supervised updates so far, and how many there are at most. */
  update: number;
  updates: number;
  /** Passes over the demonstrations so far. */
  epoch: number;
  /** ISO 8601. */
  at: string;
  /** Nats per trained token, mean of the updates since the last evaluation; null before the first update. */
  loss: number | null;
  /** Nats per trained token on held-out demonstrations; null where none are held out. */
  heldOutLoss: number | null;
  /** Answers to held-out questions; null where none are asked. */
  answers: Pick<HeldOutScore, 'n' | 'em' | 'f1' | 'recall' | 'searches' | 'formatValid'> | null;
  /** Context tokens that went through the trainer since the last evaluation, and the seconds of that; of this session. */
  tokens: number;
  seconds: number;
  /** Seconds of this evaluation. */
  evaluationSeconds: number;
  /** The format rate was reached: it is the last one, though updates were left. */
  reached?: true;
}
