import { z } from 'zod';
import { actionWeightsSchema } from './reward-model.ts';

/**
 * Several candidates for every step of the policy, of which one is taken. `passages`: self-consistent action
 * (Agent-Distillation, arXiv 2505.17612, section 3.2), a vote on what an action brings. `gold`: RAG-Gym's ranking of
 * actions (2502.13957), by the gold chain in place of a language model: only for training. `reward-model`: the one with the
 * greatest reward of a process reward model (its section 3.3).
 */
export const candidatesSchema = z.strictObject({
  n: z.int().min(1).max(32),
  by: z.enum(['passages', 'gold', 'reward-model']),
  /** Of the reward model; features that are not named count nothing. */
  weights: actionWeightsSchema.optional(),
});

/**
 * The place of the action that is taken: of those that did not fail, the first with the outcome that most have; where no
 * two have the same, the first of them. Null where all failed.
 * @param outcomes of each action; null: it failed
 */
export function consistentAction(outcomes: readonly (string | null)[]): number | null {
  const counts = new Map<string, number>();
  for (const outcome of outcomes)
    if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  const at = outcomes.findIndex((outcome) => outcome !== null && counts.get(outcome) === most);
  return at < 0 ? null : at;
}

/** What an action is worth to the ranking by the gold chain. */
export interface Worth {
  /** Of an answer: whether it is right; null of a search. */
  right: boolean | null;
  /** Supporting passages that it brings first. */
  gold: number;
  /** Passages that it brings first. */
  fresh: number;
  /** Tokens of it. */
  tokens: number;
}

/**
 * Places of the actions, best first: a right answer, then searches that bring the most new supporting passages, then
 * those that bring the most new ones, then shorter ones; wrong answers after all. Ties are ours.
 */
export function rankActions(worths: readonly Worth[]): number[] {
  const tier = ({ right }: Worth): number => (right === null ? 1 : right ? 0 : 2);
  return worths
    .map((worth, place) => ({ worth, place }))
    .toSorted(
      (a, b) =>
        tier(a.worth) - tier(b.worth) ||
        b.worth.gold - a.worth.gold ||
        b.worth.fresh - a.worth.fresh ||
        a.worth.tokens - b.worth.tokens ||
        a.place - b.place,
    )
    .map(({ place }) => place);
}
