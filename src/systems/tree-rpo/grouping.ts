import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import { membersOf } from '../../learn/advantages.ts';
import { ownerAt, placesOf, type Credit, type Shared } from '../../learn/branching/credit.ts';
import { branchOff, fromQuestion, growing } from '../../learn/branching/grow.ts';
import type { Ground, Grouping } from '../../learn/branching/grouping.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Tree } from './system.ts';

/** N rollouts from the question, and after each result as many, down to depth D. */
async function growTree(
  deps: AgentDeps,
  request: GroupRequest,
  { children, depth }: Tree,
  { begun }: Ground,
): Promise<Rollout[]> {
  const roots = await fromQuestion(deps, request, begun, children);
  const group = roots.map(growing);
  for (let level = 1; level < depth; level++) {
    const parents = group.filter(({ turns, next }) => next < turns.length);
    const wanted = parents.flatMap((one) => {
      const turn = itemAt(one.turns, one.next++, 'turns');
      return Array.from({ length: children - 1 }, () => ({ ...one, turn }));
    });
    const first = group.length;
    const made = await Promise.all(
      wanted.map((one, i) => branchOff(deps, request, one, first + i)),
    );
    made.forEach((rollout, i) =>
      group.push({ ...growing(rollout), next: itemAt(wanted, i, 'branches').next }),
    );
  }
  return group.slice(begun.length).map(({ rollout }) => rollout);
}

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

/** Gives each record one number: the mean of what its own tokens count for. */
function noteCredit(sequences: readonly Shared[], credits: readonly Credit[]): void {
  sequences.forEach(({ rollout }, s) => {
    const own = itemAt(credits, s, 'credits').flatMap((value) =>
      value === null ? [] : [Math.fround(value)],
    );
    rollout.advantage = own.length === 0 ? 0 : mean(own);
  });
}

export const grouping = (tree: Tree): Grouping => ({
  grow: (deps, request, ground) => growTree(deps, request, tree, ground),
  credit(sequences) {
    const credits = treeCredit(sequences);
    noteCredit(sequences, credits);
    return credits;
  },
});
