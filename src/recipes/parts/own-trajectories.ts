import type { SettingsOverride } from './settings.ts';

/** What of a policy's rollouts a training with a stored loss learns from, where no file of trajectories is given. */
export interface OwnTrajectories {
  /** Over the loop, while their rollouts are made. */
  overrides?: SettingsOverride;
  /** Only questions are taken that no rollout without `overrides` answers right, as START takes them. */
  failedWithout?: true;
  /** See `MakeOptions` in `src/learn/trajectories/make.ts`. */
  choice: {
    weight?: 'right' | 'none';
    pairs?: 'reward' | 'truncated';
    top?: { share: number; weight: number };
    words?: true;
  };
}
