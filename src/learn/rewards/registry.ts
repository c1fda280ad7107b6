import type { Reward } from './parts/definition.ts';

/**
 * Rewards by id. `list.ts` puts them in when it is imported, as by what collects rollouts and what checks settings, so that
 * a training step need not know which there are.
 */

const registered = new Map<string, Reward>();

export const registerRewards = (rewards: readonly Reward[]): void => {
  for (const reward of rewards) registered.set(reward.id, reward);
};

/** @throws Error where there is none of that id */
export function registeredReward(id: string): Reward {
  const reward = registered.get(id);
  if (reward) return reward;
  throw new Error(`reward: there is no "${id}"; src/learn/rewards/list.ts has them all`);
}
