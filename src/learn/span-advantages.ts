import { itemAt } from '../base/items.ts';
import { moments } from '../base/statistics.ts';
import type { RewardClause, Rollout } from '../records/rollout.ts';
import { membersOf } from './advantages.ts';
import { getReward } from './rewards/registry.ts';

/**
 * Advantages of single tokens, for rewards that value single searches (StepSearch, arXiv 2505.15107, gives each
 * search its score at its last token and trains with PPO). Without a critic: what a token's rollout earned as a
 * whole, and what its searches from that token on earned, both distinguished within the group. How the second is
 * normalised is ours: by mean and deviation over all trained tokens of the group.
 */

/** Added to a deviation that divides, as in GRPO's published code. */
const EPSILON = 1e-6;

/** One rollout as it is trained. */
interface Trained {
  rollout: Pick<Rollout, 'segments' | 'rewards'>;
  /** 1 where the loss may train a token; one for each of the context. */
  mask: ArrayLike<number>;
  group: number;
}

const isStep = (clause: RewardClause, names: readonly string[]): boolean =>
  names.includes(clause.clause) && clause.evidence.length > 0;

/** Clauses of a reward that value single searches. */
export const searchClauses = (reward: string): readonly string[] => getReward(reward).steps ?? [];

/** What the rollout as a whole earned: its reward without what single searches earned. */
export const outcomeOf = (
  rollout: Pick<Rollout, 'rewards' | 'reward'>,
  names: readonly string[],
): number =>
  rollout.rewards
    .filter((clause) => isStep(clause, names))
    .reduce((rest, { value, weight }) => rest - value * weight, rollout.reward ?? 0);

/** Number of the last token of each segment in the context. */
function segmentEnds({ segments }: Pick<Rollout, 'segments'>): number[] {
  let end = -1;
  return segments.map(({ ids }) => (end += ids.length));
}

/** What single searches earned, at the last token of the segment that their clause's evidence names last. */
export function earnedAt(
  rollout: Trained['rollout'],
  tokens: number,
  names: readonly string[],
): Float64Array {
  const ends = segmentEnds(rollout);
  const earned = new Float64Array(tokens);
  for (const clause of rollout.rewards) {
    if (!isStep(clause, names)) continue;
    const last = Math.max(...clause.evidence.map(({ segment }) => segment));
    const at = itemAt(ends, last, 'segments');
    earned[at] = (earned[at] ?? 0) + clause.value * clause.weight;
  }
  return earned;
}

/** For each trained token what the rollout's searches from it on earned. */
export function rewardsToGo({ rollout, mask }: Trained, names: readonly string[]): Float64Array {
  const earned = earnedAt(rollout, mask.length, names);
  const out: number[] = [];
  let sum = 0;
  for (let i = mask.length - 1; i > 0; i--) {
    sum += earned[i] ?? 0;
    if (mask[i] === 1) out.unshift(sum);
  }
  return Float64Array.from(out);
}

/**
 * The part of each trained token's advantage that its searches earn: their rewards to go, less the group's mean
 * and over its deviation (unbiased) over tokens; 0 where the group's do not vary.
 * @returns one array a rollout, one value a trained token
 */
export function stepAdvantages(
  sequences: readonly Trained[],
  names: readonly string[],
): Float32Array[] {
  const out = sequences.map((one) => rewardsToGo(one, names));
  for (const members of membersOf(sequences.map(({ group }) => group))) {
    const all = members.flatMap((i) => [...itemAt(out, i)]);
    const { mean, variance } = moments(all, 1);
    const flat = all.every((value) => value === all[0]);
    const scale = flat ? 0 : 1 / (Math.sqrt(variance) + EPSILON);
    for (const i of members) out[i] = itemAt(out, i).map((value) => (value - mean) * scale);
  }
  return out.map((values) => Float32Array.from(values));
}
