import { z } from 'zod';

/** Self-RAG's decisions (arXiv 2310.11511, section 3.3), as its released code has them: when to retrieve, which passage. */
export const reflectionSchema = z.strictObject({
  /** Share of `retrieve` of the two above which it retrieves. */
  threshold: z.number().min(0).max(1),
  weights: z.strictObject({
    relevant: z.number().min(0),
    supported: z.number().min(0),
    useful: z.number().min(0),
  }),
  /** Most passages that are tried one by one. */
  passages: z.int().min(1).max(10),
  /** Most searches, one a segment. */
  segments: z.int().min(1).max(16),
});
export type Reflection = z.infer<typeof reflectionSchema>;

/** P(retrieve) of the two that may be said; 0 where neither has any. */
export const retrieveShare = (retrieve: number, not: number): number =>
  retrieve + not === 0 ? 0 : retrieve / (retrieve + not);

export interface Judged {
  /** Mean natural-log probability of the continuation's tokens; 0 where a policy gives none. */
  meanLogprob: number;
  /** P(relevant) of the two. */
  relevant: number;
  /** P(fully supported) and P(partly supported) of the three. */
  full: number;
  partial: number;
  /** Expectation of −1, −½, 0, ½, 1 for usefulness 1 to 5. */
  use: number;
}

/** Usefulness from the probabilities of the grades 1 to 5. */
export const usefulness = (grades: readonly number[]): number =>
  [-1, -0.5, 0, 0.5, 1].reduce((sum, value, i) => sum + value * (grades[i] ?? 0), 0);

/** s = exp(mean log p) + w·relevant + w·(full + ½ partial) + w·use. */
export const segmentScore = (
  { meanLogprob, relevant, full, partial, use }: Judged,
  weights: Reflection['weights'],
): number =>
  Math.exp(meanLogprob) +
  weights.relevant * relevant +
  weights.supported * (full + 0.5 * partial) +
  weights.useful * use;
