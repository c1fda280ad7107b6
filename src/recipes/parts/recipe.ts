import type { SettingsOverride, RecipeSettings } from './settings.ts';
import type { Sources } from './sources.ts';
import type { TrainSettings } from './training.ts';

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

/** Settings of a run of training except for what the recipe says of itself. */
export type VariantSettings = Omit<TrainSettings, 'preset' | 'recipe'>;

/** One way in which a recipe is trained. */
export interface Variant {
  /** What is after the recipe's id and a slash: `grpo` of `search-r1/grpo`. */
  name: string;
  /** How it is trained, for a menu. */
  title: string;
  /** Where its sampling, loss or rollouts leave the source's, as text for who chooses it. */
  differences?: string;
  /** Recipe whose loop its rollouts run, where that is not its own. */
  loop?: string;
  /** Of a stored loss: what it learns from where no file is given. */
  trajectories?: OwnTrajectories;
  settings: VariantSettings;
}

/** What is known of a system, or of a switch of training, from outside, for tables and for `lab recipes`. */
export interface About<Kind = 'trained by RL' | 'trained otherwise' | 'not trained'> {
  /** arXiv number. */
  paper: string;
  kind: Kind;
  /** What it is put together from, in the words of `docs/methods.md`. */
  parts: readonly string[];
  /** Where loop and training here leave the paper's; one sentence each. */
  differences: readonly string[];
  /** Where its constants are from, by their paths; what is not named is of this repository, or of the loop that it shares. */
  sources?: Sources;
  /** A figure of its paper or code, with benchmark and model; never to be compared with one measured here. */
  published?: { figure: string; benchmark: string; model: string };
  /** What a run should show if the idea works, and the ablation that should not show it. */
  expectedEffect: string;
}

/** A system as values: its loop and its training, with which constants. */
export interface Recipe {
  id: string;
  version: string;
  title: string;
  /** One sentence for the page. */
  summary: string;
  about?: About;
  /** `words`: nothing of it is left with a policy that knows only the protocol's tags; such a one is refused. */
  needs?: 'words';
  /** The loop: which parts of the agent run. */
  settings: RecipeSettings;
  /** How it is trained, the usual variant first; empty where it is not trained. */
  training: readonly Variant[];
}
