import type { Passage, Question } from '../../records/records.ts';

/**
 * Summarized retrieval (UR², arXiv 2508.06165, section 3.1.1 and appendix D.3): the policy reads a
 * summary for its query in place of the passages, or, where the query asks for reasoning and not for
 * knowledge, one fixed sentence.
 */

/** What a summary has to keep, as the question says. */
export type SummaryGold = Pick<Question, 'answers' | 'chain' | 'supporting'>;

export interface SummaryRequest {
  query: string;
  /** Best first. */
  passages: readonly Passage[];
  /** Only the oracle reads it. */
  gold?: SummaryGold | undefined;
  signal?: AbortSignal | undefined;
}

export interface Summary {
  /** What the policy reads; the fallback sentence where `fallback`. */
  text: string;
  /** The query asks for reasoning: nothing was summarized. */
  fallback: boolean;
  /** Why, as text: the clause of the classifier, or what the model said. */
  reason: string;
  /** Names who wrote it. */
  by: string;
  cached: boolean;
  latencyMs: number;
}

export interface Summarizer {
  /** Names the method or model, and where known its weights. */
  readonly id: string;
  /** @throws Error that says what failed; the signal's reason where it was aborted */
  summarize(request: SummaryRequest): Promise<Summary>;
}

/** What a way of summarizing gives; time and cache are kept around it. */
export type Draft = Pick<Summary, 'text' | 'fallback' | 'reason'>;

export interface Method {
  readonly id: string;
  /** Whether the draft depends on the gold of the question, too. */
  readonly readsGold?: true;
  draft(request: SummaryRequest): Promise<Draft>;
}

/** What is in the result where a query asks for reasoning (UR², appendix C.4, in our words). */
export const FALLBACK_SENTENCE =
  'this asks for reasoning , not for a fact that could be looked up . no passage answers it .';

export const fallbackDraft = (reason: string): Draft => ({
  text: FALLBACK_SENTENCE,
  fallback: true,
  reason,
});

export const NOTHING_RELEVANT = 'nothing found that bears on this query .';
