import { z } from 'zod';

/**
 * Chain of retrieval (CoRAG, arXiv 2501.14342; code: microsoft/LMOps, corag_agent.py): query, result, sub-answer, and
 * again; how a chain is found at test time.
 */
export const chainSchema = z.strictObject({
  /** L: most searches of a chain. */
  length: z.int().min(1).max(16),
  decode: z.discriminatedUnion('kind', [
    /** One chain. */
    z.strictObject({ kind: z.literal('one') }),
    /** n chains, of which the one with the lowest score is kept. */
    z.strictObject({ kind: z.literal('best-of'), n: z.int().min(2).max(16) }),
    /** At each step `expand` next steps, each tried by `rollouts` of at most `depth` steps more; the best mean is kept. */
    z.strictObject({
      kind: z.literal('tree'),
      expand: z.int().min(2).max(8),
      rollouts: z.int().min(1).max(8),
      depth: z.int().min(1).max(8),
    }),
  ]),
});
export type Chain = z.infer<typeof chainSchema>;

/** The place of the lowest score; the earlier one of equals. @throws RangeError without scores */
export function lowest(scores: readonly number[]): number {
  if (scores.length === 0) throw new RangeError('there is no chain to choose from');
  return scores.indexOf(Math.min(...scores));
}

/** The place of the child whose rollouts have the lowest mean score. */
export const lowestMean = (children: readonly (readonly number[])[]): number =>
  lowest(children.map((scores) => scores.reduce((sum, one) => sum + one, 0) / scores.length));
