import { z } from 'zod';
import { actionWeightsSchema } from './reward-model.ts';

/**
 * Chain of retrieval (CoRAG, arXiv 2501.14342; code: microsoft/LMOps, corag_agent.py): query, result, sub-answer, and
 * again; how a chain is found at test time.
 */
/**
 * What is low of the chain that is kept; ln p is a mean over the tokens of what is forced as the answer after the chain.
 * - `confidence`: −ln p of the answer that the policy would give.
 * - `no-information`: ln p(“No relevant information found”), the paper's and its code's.
 * - `gold`: −ln p(gold answer), by which its training chains are chosen; an oracle.
 * - `vote`: less the share of chains whose answer is the same (self-consistency, 2203.11171).
 * - `reward-model`: less the mean reward of its steps (`reward-model.ts`).
 * - `random`: what chance says: the control.
 */
const CHAIN_SCORERS = [
  'confidence',
  'no-information',
  'gold',
  'vote',
  'reward-model',
  'random',
] as const;
export type ChainScorer = (typeof CHAIN_SCORERS)[number];

export const chainSchema = z.strictObject({
  /** L: most searches of a chain. */
  length: z.int().min(1).max(16),
  /** What chains are distinguished by; `confidence` where absent. */
  scorer: z.enum(CHAIN_SCORERS).optional(),
  /** `reward-model`: its weights; features that are not named count nothing. */
  weights: actionWeightsSchema.optional(),
  /** `best-of`, as its code: the first chain is greedy, and the others are drawn at this temperature. Absent: all as the sampling says. */
  temperature: z.number().positive().max(4).optional(),
  /**
   * As its code: passages for the question itself are shown before the answer, best last. A search of the loop, not one
   * of the chain. Absent or 0: none.
   */
  closing: z.int().min(0).max(20).optional(),
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

/** Less the share of the answers that are the same, of each; an empty one is nobody's. */
export function disagreement(
  answers: readonly string[],
  same = (text: string): string => text,
): number[] {
  const all = answers.map(same);
  return all.map((own) =>
    own === '' ? 0 : -all.filter((other) => other === own).length / all.length,
  );
}

/** The place of the lowest score; the earlier one of equals. @throws RangeError without scores */
export function lowest(scores: readonly number[]): number {
  if (scores.length === 0) throw new RangeError('there is no chain to choose from');
  return scores.indexOf(Math.min(...scores));
}

/** The place of the child whose rollouts have the lowest mean score. */
export const lowestMean = (children: readonly (readonly number[])[]): number =>
  lowest(children.map((scores) => scores.reduce((sum, one) => sum + one, 0) / scores.length));
