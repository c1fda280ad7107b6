import type { About } from '../parts/recipe.ts';
import type { TrainSettings } from '../parts/training.ts';

type Changes<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: Changes<T[Key]> }
    : T;

/** A change of settings, as `training` of a study's arm has it. Of `stages` the first one's reward counts, in every stage. */
type SwitchChanges = Changes<
  Omit<TrainSettings, 'format' | 'preset' | 'recipe' | 'seed' | 'steps'>
>;

/** What a paper changes in how any system is trained, as values. */
export interface Switch {
  /** None that a recipe has. */
  id: string;
  title: string;
  /** One sentence for the page. */
  summary: string;
  about: About<'switch of training'>;
  changes: SwitchChanges;
  /**
   * The one of its settings that tells whether it is on: a word must be that of `changes`; a number or a part must be there,
   * whatever it is.
   */
  mark: string;
  /** Paths of settings that mean something beside it alone, and go with it. */
  dependents?: readonly string[];
}
