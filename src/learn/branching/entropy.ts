import { itemAt } from '../../base/items.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';

/**
 * Where ARPO (arXiv 2507.19849) branches. H is the sum of the entropies of the first tokens that the policy
 * wrote there, over ln |V|; ΔH is H after a result less H at the rollout's beginning. The entropies are of
 * the whole vocabulary and of the tokens after the result, as in the paper. The released code takes ten tokens of
 * the vocabulary, and the segment before the result (`measured: 'before-result'`), less what was first written in the
 * rollout's place: of one that branched off, that is its own first segment after the branch. So ΔH is 0 and the branch
 * a fair coin at the first result that is a rollout's own. That H is kept by place in the batch and never cleared
 * (`before-result-kept`): from the second batch on it is that of another question's rollout.
 */

type Rule = Extract<Branching, { kind: 'entropy' }>;

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

/** A place after a result: the event that comes next, and the entropies of what the policy wrote there. */
export interface Turn {
  event: number;
  /** From the first token after the result; none where the policy wrote no more. */
  entropies: number[];
  /** Of what it wrote between the result before, or the beginning, and this one. */
  before: number[];
}

/** What is between a result and the policy's next word. */
const BETWEEN = new Set(['summarize', 'candidate', 'verdict']);

/** Places after the results of a rollout, in order, at which it continued. */
export function turnsOf({ events, segments }: Pick<Rollout, 'events' | 'segments'>): Turn[] {
  const written = (from: number, to?: number): number[] =>
    segments
      .slice(from, to)
      .flatMap((segment) => (segment.mask === 1 ? (segment.entropies ?? []) : []));
  let last = 0;
  return events.flatMap((event, i) => {
    if (event.kind !== 'retrieve') return [];
    let next = i + 1;
    while (BETWEEN.has(events[next]?.kind ?? '')) next++;
    const kind = events[next]?.kind;
    if (kind === undefined || kind === 'stop' || kind === 'retrieve') return [];
    const result = event.segment ?? segments.length;
    const before = written(last, result);
    last = result + 1;
    return [{ event: next, entropies: written(last), before }];
  });
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

/** H of what was first written in each place of a step, by the place's name. */
export type FirstEntropies = Record<string, number>;

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
