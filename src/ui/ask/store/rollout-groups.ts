import type { Rollout } from '../../../records/rollout.ts';
import { varies } from '../../../learn/advantages.ts';

/** The rollouts of one question in one step: what advantages compare. */
export interface RolloutGroup {
  id: string;
  rollouts: Rollout[];
  /** Mean reward; null where none was computed. */
  mean: number | null;
  /** Whether the rewards differ: only then is there something to learn. */
  varies: boolean;
}

/** Groups in the order in which they began; within a group the best reward first. */
export const groupRollouts = (rollouts: readonly Rollout[]): RolloutGroup[] => {
  const byGroup = new Map<string, Rollout[]>();
  for (const rollout of rollouts) {
    const group = byGroup.get(rollout.groupId);
    if (group) group.push(rollout);
    else byGroup.set(rollout.groupId, [rollout]);
  }
  return [...byGroup].map(([id, members]) => {
    const rewards = members.flatMap(({ reward }) => reward ?? []);
    const mean =
      rewards.length === 0 ? null : rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
    return {
      id,
      rollouts: members.toSorted((a, b) => (b.reward ?? -Infinity) - (a.reward ?? -Infinity)),
      mean,
      varies: varies(rewards),
    };
  });
};
