import type { VariantSettings } from './recipe.ts';
import { DEFAULT_SETTINGS, type RecipeSettings, type SettingsOverride } from './settings.ts';
import { OBJECTIVE, TRAINING } from './training-base.ts';
import type { TrainSettings } from './training.ts';

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

/** The difference of recipes whose blocks no prompt explains. */
export const BLOCKS_SHOWN =
  'The paper teaches its blocks by a prompt. The built-in policy saw them in its training.';

/** The loop of a system that is prompted and not trained. */
export const promptedLoop = (
  loop: RecipeSettings['loop'],
  { k, maxSearches }: { k: number; maxSearches: number },
  { method, dialect }: { method?: RecipeSettings['method']; dialect?: string } = {},
): RecipeSettings => ({
  ...DEFAULT_SETTINGS,
  loop,
  retrieval: { ...DEFAULT_SETTINGS.retrieval, k, fitK: true, maxSearches },
  ...(dialect === undefined ? {} : { dialect }),
  ...(method === undefined ? {} : { method }),
});

/** Differences from the paper that all of them share. */
export const PROMPTED_DIFFERENCES = [
  'The instruction is our own, without examples; passages come from both sources, as many of the k as fit in the context.',
] as const;

/** Differences of systems that learn from stored trajectories. */
export const STORED =
  'The trajectories are the policy’s own rollouts from before the first step, or a file that `lab trajectories` makes from rollouts (--demonstrations).';

type Loss = NonNullable<TrainSettings['stages'][number]['loss']>;

/** Training by a supervised loss, all steps alike. @param overrides of the loop while rollouts for it are made */
export const supervisedBy = (
  loss: Loss,
  change: Partial<VariantSettings> = {},
  overrides?: SettingsOverride,
): VariantSettings => {
  const settings = { ...TRAINING, objective: OBJECTIVE, ...change };
  return {
    ...settings,
    stages: [
      {
        steps: settings.steps,
        reward: 'em',
        weights: {},
        ...(overrides && { overrides }),
        loss,
      },
    ],
  };
};
