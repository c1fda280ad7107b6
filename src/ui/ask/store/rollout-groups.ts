import type { Rollout } from '../../../records/rollout.ts';
import { varies } from '../../../learn/advantages.ts';

/** The rollouts of one question in one step, compared by advantages. */
export interface RolloutGroup {
  id: string;
  rollouts: Rollout[];
  /** Mean reward; null if none was computed. */
  mean: number | null;
  /** Whether the rewards differ; otherwise there is no learning signal. */
  varies: boolean;
}

/** Groups in order of start; within a group the best reward first. */
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
