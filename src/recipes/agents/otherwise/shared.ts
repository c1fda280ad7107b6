import type { SettingsOverride } from '../../parts/settings.ts';
import type { TrainSettings } from '../../parts/training.ts';
import type { VariantSettings } from '../../parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../parts/training-base.ts';

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
