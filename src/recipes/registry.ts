import { knownAs } from './parts/nearest.ts';
import type { OwnTrajectories, Recipe, Variant } from './parts/recipe.ts';
import type { TrainSettings } from './parts/training.ts';

/** Recipes by id, in menu order. The loop and the trainer find a recipe here; `src/systems/index.ts` fills it. */
const recipes = new Map<string, Recipe>();

/** Adds recipes; one with the same id replaces the earlier one. */
export function registerRecipes(more: readonly Recipe[]): void {
  for (const recipe of more) recipes.set(recipe.id, recipe);
}

/** @throws Error that names similar ids. */
export function getRecipe(id: string): Recipe {
  const found = recipes.get(id);
  if (found) return found;
  throw new Error(`unknown recipe "${id}"; ${knownAs(id, [...recipes.keys()])}`);
}

/** The recipe whose loop a run's rollouts use. @throws Error that names similar ids */
export const recipeOf = ({ recipe }: Pick<TrainSettings, 'recipe'>): Recipe => getRecipe(recipe);

/** One way to train one recipe. */
export interface Training {
  /** `search-r1/grpo` */
  id: string;
  recipe: Recipe;
  variant: Variant;
}

/** Every variant of every recipe that is trained. */
export const allTrainings = (): Training[] =>
  [...recipes.values()].flatMap((recipe) =>
    recipe.training.map((variant) => ({ id: `${recipe.id}/${variant.name}`, recipe, variant })),
  );

/** The training with an id: `search-r1/grpo`, or a recipe's id for its first variant. Undefined if there is none. */
export function findTraining(id: string): Training | undefined {
  const all = allTrainings();
  return all.find((one) => one.id === id) ?? all.find(({ recipe }) => recipe.id === id);
}

/**
 * Which of its policy's rollouts a training with a stored loss uses if no file is given: as its variant says,
 * otherwise correct ones, or pairs of a correct and a wrong one.
 */
export function ownTrajectoriesOf({
  preset,
  stages,
}: Pick<TrainSettings, 'preset' | 'stages'>): OwnTrajectories {
  const said = findTraining(preset)?.variant.trajectories;
  const pairs = stages.some(({ loss }) => loss?.kind === 'stored-dpo');
  return said ?? { choice: pairs ? { weight: 'none', pairs: 'reward' } : { weight: 'right' } };
}
