import type { RecipeSettings } from '../parts/settings.ts';
import { DEFAULT_SETTINGS } from '../parts/settings.ts';

/** The loop of Search-R1 and similar systems: think, search, read, repeat, with these limits. */
export const searchLoop = (k: number, maxSearches: number): RecipeSettings => ({
  ...DEFAULT_SETTINGS,
  retrieval: { ...DEFAULT_SETTINGS.retrieval, k, maxSearches },
});

/** The only difference of our rewards from the released functions (`lab rewards`). */
export const GOLD_OF_ARTICLES =
  'A gold answer of articles only, such as "The", is compared with its articles; released reward functions compare empty texts.';

/** Differences from the paper that all of them share. */
export const SHARED_DIFFERENCES = [
  'The tags are those of the built-in policy, which is trained on the protocol and needs no prompt.',
  'A search queries both sources instead of one.',
  'Learning rate, batch and steps are sized for a small policy with LoRA.',
  GOLD_OF_ARTICLES,
] as const;

/** For papers that train with PPO. */
export const GRPO_FOR_PPO = 'GRPO with groups of 8 instead of PPO: no critic is trained.';
