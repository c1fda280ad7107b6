import { z } from 'zod';
import { itemAt } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Turn } from '../../learn/branching/turns.ts';

/**
 * Where ARPO (arXiv 2507.19849) branches. H is the sum of the entropies of the first tokens that the policy
 * wrote there, over ln |V|; ΔH is H after a result less H at the rollout's beginning. The entropies are of
 * the whole vocabulary and of the tokens after the result, as in the paper. The released code takes ten tokens of
 * the vocabulary, and the segment before the result (`measured: 'before-result'`), less what was first written in the
 * rollout's place: of one that branched off, that is its own first segment after the branch. So ΔH is 0 and the branch
 * a fair coin at the first result that is a rollout's own. That H is kept by place in the batch and never cleared
 * (`before-result-kept`): from the second batch on it is that of another question's rollout.
 */

export const ruleSchema = z.strictObject({
  /** N: rollouts that begin at the question; the group's size is M. */
  start: z.int().min(1).max(64),
  /** α and w of P = clamp(α + w · ΔH, 0, 1). */
  base: z.number().min(0).max(1),
  slope: z.number().min(0),
  /** `drawn`: with probability P, as the code; a number τ: where P > τ, as the paper. */
  when: z.union([z.literal('drawn'), z.number().min(0).max(1)]),
  /**
   * `before-result`, as the released code: entropies of what was written before the result, less what the rollout first
   * wrote itself, after its branch if it is one. `before-result-kept`: less what was first written in this place of a
   * step in all of the run, since its table of them is never cleared. Absent: of what is after the result.
   */
  measured: z.enum(['before-result', 'before-result-kept']).optional(),
  /** Tokens whose entropy is summed, from the first one there. */
  tokens: z.int().min(1).max(512),
  /** How tokens that rollouts share count in the loss; `sharedCredit`. */
  credit: z.enum(['soft', 'hard', 'once']),
});
export type Rule = z.infer<typeof ruleSchema>;

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** P = clamp(α + w · ΔH, 0, 1). */
export const branchChance = (rise: number, { base, slope }: Pick<Rule, 'base' | 'slope'>): number =>
  clamp(base + slope * rise);

/**
 * Whether a rollout branches: as the code draws, clamp(u − w · ΔH, 0, 1) ≤ α with u uniform in [0, 1), which
 * happens with probability P; or, as in the paper, where P > τ.
 */
export function branches(
  rise: number,
  draw: number,
  { base, slope, when }: Pick<Rule, 'base' | 'slope' | 'when'>,
): boolean {
  if (when !== 'drawn') return branchChance(rise, { base, slope }) > when;
  return clamp(draw - slope * rise) <= base;
}

/** Entropies of all that the policy wrote, from the beginning. */
export const openingOf = ({ segments }: Pick<Rollout, 'segments'>): number[] =>
  segments.flatMap((segment) => (segment.mask === 1 ? (segment.entropies ?? []) : []));

/** A rollout at one of its turns. */
interface Place {
  turns: readonly Turn[];
  at: number;
  opening: readonly number[];
}

/**
 * ΔH at one of a rollout's turns.
 * @param first H that was first written in its place, where that is distinguished from what is before the result; absent:
 *   what is after the result is distinguished from the rollout's beginning
 * @param sum H of the entropies of a text
 */
export function riseAt(
  { turns, at, opening }: Place,
  first: number | undefined,
  sum: (entropies: readonly number[]) => number,
): number {
  const turn = itemAt(turns, at, 'turns');
  return first === undefined ? sum(turn.entropies) - sum(opening) : sum(turn.before) - first;
}

/**
 * What the policy wrote first as the rollout of a place: up to its next result, or all there is.
 * @param next the first of its turns that is its own: not one that it has from the rollout it branched off
 */
export function firstWritten(
  { turns, opening }: Pick<Place, 'turns' | 'opening'>,
  next: number,
): readonly number[] {
  const own = turns[next];
  if (own) return own.before;
  return turns[next - 1]?.entropies ?? opening;
}

/** H: the sum over the first tokens, over ln |V|. */
export const summedEntropy = (
  entropies: readonly number[],
  tokens: number,
  vocabulary: number,
): number =>
  entropies.slice(0, tokens).reduce((sum, value) => sum + value, 0) / Math.log(vocabulary);
