import { z } from 'zod';

/**
 * Confidence-triggered retrieval (FLARE, arXiv 2305.06983, section 3.2): the policy looks one sentence ahead; a
 * token below θ in it asks for passages, and the sentence without the tokens below β is the query.
 */
export const confidenceSchema = z.strictObject({
  theta: z.number().min(0).max(1),
  beta: z.number().min(0).max(1),
  /** Most tokens of one look ahead. */
  lookAhead: z.int().min(1).max(512),
  /** Most sentences. */
  sentences: z.int().min(1).max(32),
  /** θ = β = 0.2 and at most 5 sentences, as FlashRAG's re-implementation has it: it hardly ever retrieves. */
  asReleased: z.boolean().default(false),
});
export type Confidence = z.infer<typeof confidenceSchema>;

const FLASHRAG = { theta: 0.2, beta: 0.2, sentences: 5 } as const;

/** The constants in force. */
export const inForce = (confidence: Confidence): Confidence =>
  confidence.asReleased ? { ...confidence, ...FLASHRAG } : confidence;

/** Whether any token's probability is below θ. */
export const triggers = (probabilities: readonly number[], theta: number): boolean =>
  probabilities.some((probability) => probability < theta);

/** The tokens that are at least β, in order. */
export const confident = <T>(
  tokens: readonly T[],
  probabilities: readonly number[],
  beta: number,
): T[] => tokens.filter((_, i) => (probabilities[i] ?? 0) >= beta);
