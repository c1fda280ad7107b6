import { z } from 'zod';

/**
 * A process reward model over single actions (RAG-Gym, arXiv 2502.13957, section 3.3), by which a loop chooses among candidates
 * for a step: r = w · x. Theirs is a scalar head on a language model of 8 billion parameters that reads the whole state; here x are named
 * features of action and state, so that weights can be read, and are settings of the loop. `lab reward-model` fits them.
 */

export const ACTION_FEATURES = [
  /** It answers. */
  'answers',
  /** It answers, and a passage that was read holds the answer word for word. */
  'answersFromRead',
  /** It answers; divided by one more than the searches that were made. */
  'answersEarly',
  /** It is neither a search nor an answer that can be read. */
  'unreadable',
  /** A query names somebody or something that the question names. */
  'asksOfQuestion',
  /** A query names what a passage told, and the question does not. */
  'asksOfRead',
  /** Share of a query's names that neither question nor passages have. */
  'asksOfUnknown',
  /** Greatest token F1 of a query with an earlier one. */
  'repeats',
  /** Tokens of the action, in units of 32. */
  'tokens',
] as const;
export type ActionFeature = (typeof ACTION_FEATURES)[number];

export const actionWeightsSchema = z.partialRecord(z.enum(ACTION_FEATURES), z.number());
export type ActionWeights = z.infer<typeof actionWeightsSchema>;

/** r of an action. @param features in the order of the names */
export const actionReward = (weights: ActionWeights, features: readonly number[]): number =>
  ACTION_FEATURES.reduce((sum, name, i) => sum + (weights[name] ?? 0) * (features[i] ?? 0), 0);

/** −ln σ(r⁺ − r⁻), the loss of a pair (their prm.py), and its slope by the difference. */
export function pairLoss(better: number, worse: number): { loss: number; slope: number } {
  const difference = better - worse;
  // ln(1 + e^−d) without overflow.
  const loss = Math.max(-difference, 0) + Math.log1p(Math.exp(-Math.abs(difference)));
  return { loss, slope: -1 / (1 + Math.exp(difference)) };
}
