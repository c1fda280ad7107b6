import type { Question } from './records.ts';
import type { AgentEvent } from './events.ts';
import type { SearchTarget } from './hits.ts';

/** The rollout record `forage.rollout/1`: everything one rollout read, wrote, did and earned. */

export type TokenSource = 'prompt' | 'policy' | 'environment';

export type SegmentRole =
  | 'instruction'
  | 'background'
  | 'question'
  | 'think'
  | 'search'
  | 'result'
  | 'hint'
  | 'answer'
  | 'other';

/**
 * A distribution over the next token: softmax(logits / temperature) over what top-k (0: all), then
 * top-p (1: all) leave of the vocabulary. Temperature 0 is the most likely token only.
 */
export interface TokenDistribution {
  temperature: number;
  topK: number;
  topP: number;
}

/** The softmax of the logits as they are. */
export const MODEL_DISTRIBUTION: TokenDistribution = { temperature: 1, topK: 0, topP: 1 };

/** A run of tokens with one writer. Joined in order, the segments are exactly the model's context, or its contexts in turn. */
export interface Segment {
  source: TokenSource;
  role: SegmentRole;
  text: string;
  ids: number[];
  /** The tokens' text, where ids are pieces of text and not the vocabulary of the policy's model. */
  tokens?: string[];
  /** Natural-log probabilities, one per token; policy segments only, and absent where it gave none. */
  logprobs?: number[];
  /** Entropies in nats, one per token; policy segments only, and absent where it gave none. */
  entropies?: number[];
  /** 1 where the loss may train these tokens: exactly the policy's own. */
  mask: 0 | 1;
}

export interface RewardClause {
  clause: string;
  value: number;
  weight: number;
  evidence: { segment: number; start: number; end: number }[];
}

export interface RolloutMetrics {
  em: number;
  f1: number;
  cover_em: number;
  /** Share of the question's supporting titles that were retrieved; null where it names none (0 in older records). */
  recall: number | null;
  searches: number;
  /** Tokens that the policy wrote. */
  tokens: number;
  seconds: number;
  /** Whether the whole output follows the protocol. */
  formatValid: boolean;
  /** Of questions with a gold summary: ROUGE-L of the answer's prose with it. */
  rouge_l?: number;
  /** Of the same questions: share of the prose's statements that retrieved passages support. */
  supported?: number;
}

/**
 * Where a rollout left another one: it shares that one's first events, and the tokens that they stand
 * in, and continued by itself from there.
 */
export interface ForkPoint {
  rolloutId: string;
  /** Events [0, event) are the other one's. */
  event: number;
  /** Tokens of the context [0, tokens) are the other one's. */
  tokens: number;
  /** What was in force up to here; the record's own seed and settings are in force from here. */
  seed: number;
  settings: Record<string, unknown>;
  /** What was changed once, at the first occasion after the point. */
  changes: ForkChanges;
}

interface ForkChanges {
  /** Where the next search went. */
  source?: SearchTarget;
  /** Ids of passages that were put first among those of the next search. */
  passages?: string[];
  /** The next query was admitted, whatever STIE said of it. */
  admitted?: true;
  /** Words that the environment said here. */
  hint?: string;
  /** Words that its next thought was begun with. */
  opening?: string;
}

/** What the checkpoint without its adapter answered from a part of what a rollout made; never trained. */
export interface FrozenAnswer {
  /**
   * evidence, memory: its last block of that kind; selected: the passages it chose; question: one retrieval with the
   * question itself.
   */
  from: 'evidence' | 'memory' | 'selected' | 'question';
  answer: string | null;
  em: number;
  f1: number;
  /** Whether a gold answer is in it. */
  holds: number;
}

/** A gold paragraph of the question. */
export interface GoldText {
  title: string;
  text: string;
}

export interface Rollout {
  format: 'forage.rollout/1';
  id: string;
  runId: string;
  step: number;
  groupId: string;
  seed: number;
  createdAt: string;
  question: Pick<
    Question,
    | 'id'
    | 'text'
    | 'answers'
    | 'supporting'
    | 'type'
    | 'hops'
    | 'difficulty'
    | 'options'
    | 'mayRetrieve'
    | 'summary'
    | 'chain'
    | 'missing'
  >;
  recipe: { id: string; version: string; settings: Record<string, unknown> };
  policy: {
    id: string;
    /**
     * Run and step of the adapter that it carried; null or absent: none. An evaluation’s record that was made
     * before it kept this has none either way.
     */
    adapter?: string | null;
    revision: string;
    /** As text, where log-probabilities are not the sampler's exact ones, or missing. */
    logprobs?: string;
    /**
     * What log-probabilities and entropies are of; null where that is not known, as of a server.
     * Absent in records that were made before it was kept: `MODEL_DISTRIBUTION`, whatever was drawn
     * from.
     */
    logprobsOf?: TokenDistribution | null;
  };
  segments: Segment[];
  events: AgentEvent[];
  rewards: RewardClause[];
  reward: number | null;
  baseline: number | null;
  advantage: number | null;
  metrics: RolloutMetrics | null;
  /** Answers of the frozen policy, where the reward asks for them. */
  frozen?: FrozenAnswer[];
  /** Gold paragraphs of the question, where the reward reads them. */
  goldTexts?: GoldText[];
  /** LJ, where one was asked: the verdict, null where it could not be read, and who gave it. */
  judge?: { verdict: boolean | null; by: string };
  /** The final answer as the rules of the recipe extracted it; null where none was given. */
  answer: string | null;
  /**
   * Tokens of the policy that it read as mixtures with what it had expected in their place (HRPO), and the mean of the
   * gates a over them; absent where none was.
   */
  latent?: { tokens: number; gate: number };
  /**
   * Segments with which the policy's context restarted, in order: what is before one was not read after it. Absent:
   * all is one context.
   */
  contexts?: number[];
  /** Rollouts that it shares its beginning with, the earliest point first; absent where it is its own. */
  forks?: ForkPoint[];
  /** Settings of the run that trained on it, added where its rollouts are read out of the run. */
  training?: { preset: string; objective: Record<string, unknown> };
}
