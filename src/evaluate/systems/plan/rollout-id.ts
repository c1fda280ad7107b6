import { getRecipe } from '../../../systems/index.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { Recipe } from '../../../recipes/parts/recipe.ts';

/**
 * A rollout is stored once under the hash of what decides it; systems whose loops are alike share it. Its
 * id says for which of them it is read: `HASH.recipe`.
 */

export const rolloutIdOf = ({ key, recipe }: { key: string; recipe: Pick<Recipe, 'id'> }): string =>
  `${key}.${recipe.id}`;

/** The hash in a rollout's id. */
export const keyOfRollout = (id: string): string => id.split('.')[0] ?? id;

/** The stored rollout as that of the system that its id names. */
export function readAs(rollout: Rollout, id: string): Rollout {
  const recipe = id.split('.')[1];
  if (recipe === undefined || recipe === rollout.recipe.id) return { ...rollout, id };
  const { version } = getRecipe(recipe);
  return { ...rollout, id, recipe: { ...rollout.recipe, id: recipe, version } };
}
