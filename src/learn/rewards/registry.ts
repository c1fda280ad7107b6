import type { Reward } from './parts/definition.ts';

/**
 * Rewards by id, in menu order. `src/systems/rewards.ts` registers those of systems when it is imported; whatever checks
 * settings, trains or scores imports it.
 */

const registered = new Map<string, Reward>();

/** Adds rewards; one with the same id replaces the earlier one. */
export function registerRewards(rewards: readonly Reward[]): void {
  for (const reward of rewards) registered.set(reward.id, reward);
}

/** All rewards. @throws Error where none are registered: `src/systems/rewards.ts` was not imported */
export function allRewards(): readonly Reward[] {
  if (registered.size === 0)
    throw new Error('rewards: none are registered; import src/systems/rewards.ts');
  return [...registered.values()];
}

/** The reward of an id, or null. */
export const rewardById = (id: string): Reward | null =>
  allRewards().find((reward) => reward.id === id) ?? null;

/** @throws Error where there is none of that id */
export function getReward(id: string): Reward {
  const reward = rewardById(id);
  if (reward) return reward;
  throw new Error(`unknown reward "${id}"`);
}
