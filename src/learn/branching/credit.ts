import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import { membersOf } from '../advantages.ts';
import { groupingOf } from './grouping.ts';

/** How tokens that several rollouts of a group share count in the loss. */

/** One rollout as it is trained. */
export interface Shared {
  rollout: Pick<Rollout, 'id' | 'forks' | 'reward'>;
  group: number;
  /** 1 where the loss may train a token; one for each of the context. */
  mask: Uint8Array;
}

/** What each trained token of a rollout counts for; `null`: it is left out of the loss. */
export type Credit = (number | null)[];

/** The rollout that token `at` of a context was written in. */
export const ownerAt = ({ id, forks = [] }: Shared['rollout'], at: number): string =>
  forks.find(({ tokens }) => at < tokens)?.rolloutId ?? id;

/** Places in the context of the trained tokens. */
export const placesOf = (mask: Uint8Array): number[] =>
  Array.from(mask, (bit, i) => (bit === 1 && i > 0 ? i : 0)).filter(Boolean);

/** A part of the tree: the rollouts through it, and the tokens [from, to) that they share. */
interface TreeNode {
  members: number[];
  from: number;
  to: number;
  value: number;
  children: TreeNode[];
}

/** Splits rollouts by the one in which their token `from` was written. */
function childrenOf(
  sequences: readonly Shared[],
  members: readonly number[],
  from: number,
): TreeNode[] {
  const parts = new Map<string, number[]>();
  for (const i of members) {
    const key = ownerAt(itemAt(sequences, i, 'sequences').rollout, from);
    parts.set(key, [...(parts.get(key) ?? []), i]);
  }
  return [...parts.values()].map((own) => nodeOf(sequences, own, from));
}

function nodeOf(sequences: readonly Shared[], members: number[], from: number): TreeNode {
  const [only] = members;
  if (members.length === 1 && only !== undefined) {
    const { mask, rollout } = itemAt(sequences, only, 'sequences');
    return { members, from, to: mask.length, value: rollout.reward ?? 0, children: [] };
  }
  const cuts = members.flatMap((i) =>
    (itemAt(sequences, i, 'sequences').rollout.forks ?? [])
      .map(({ tokens }) => tokens)
      .filter((tokens) => tokens > from),
  );
  const to = Math.min(...cuts);
  const children = childrenOf(sequences, members, to);
  return { members, from, to, value: mean(children.map(({ value }) => value)), children };
}

/**
 * TreeRPO (arXiv 2506.05183): a leaf is worth its reward, a node the mean of its children. The tokens of a node
 * count once, with (V − mean) / deviation among its siblings; those of siblings of equal value not at all. The
 * deviation is of the siblings themselves (biased).
 */
export function treeCredit(sequences: readonly Shared[]): Credit[] {
  const out = sequences.map(
    ({ mask }) => new Map(placesOf(mask).map((at) => [at, null as number | null])),
  );
  const give = (siblings: readonly TreeNode[]): void => {
    const values = siblings.map(({ value }) => value);
    const middle = mean(values);
    const deviation = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
    for (const { members, from, to, value, children } of siblings) {
      const first = itemAt(out, itemAt(members, 0, 'members'), 'rollouts');
      const advantage = deviation > 1e-12 ? (value - middle) / deviation : null;
      for (const at of first.keys()) if (at >= from && at < to) first.set(at, advantage);
      give(children);
    }
  };
  for (const members of membersOf(sequences.map(({ group }) => group)))
    give(childrenOf(sequences, members, 0));
  return out.map((tokens) => [...tokens.values()]);
}

/** What trained tokens count for where rollouts share some; null where each counts for its rollout. */
export function creditOf(
  sequences: readonly Shared[],
  advantages: ArrayLike<number | Float32Array>,
  branching: Branching | undefined,
): Credit[] | null {
  if (branching?.kind === 'tree') return treeCredit(sequences);
  if (branching?.kind !== 'system') return null;
  return groupingOf(branching).credit?.(sequences, advantages) ?? null;
}
