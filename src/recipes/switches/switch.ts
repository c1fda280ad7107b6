import type { About } from '../parts/recipe.ts';
import type { TrainSettings } from '../parts/training.ts';

type Changes<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: Changes<T[Key]> }
    : T;

/** A change of settings, as in `training` of a study's arm. The first stage's reward is used in every stage. */
type SwitchChanges = Changes<
  Omit<TrainSettings, 'format' | 'preset' | 'recipe' | 'seed' | 'steps'>
>;

/** A paper's change to the training of any system, as values. */
export interface Switch {
  /** Different from every recipe id. */
  id: string;
  title: string;
  /** One sentence for the page. */
  summary: string;
  about: About<'switch of training'>;
  changes: SwitchChanges;
  /**
   * The setting that shows whether it is on: a string must equal that of `changes`; a number or object must only be
   * present.
   */
  mark: string;
}
