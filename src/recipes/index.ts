import { kunlunBaize } from './kunlun-baize.ts';
import { naiveGeneration } from './naive-generation.ts';
import { naiveRag } from './naive-rag.ts';
import { search } from './search.ts';
import type { Recipe } from './settings.ts';

export const RECIPES: readonly Recipe[] = [kunlunBaize, search, naiveRag, naiveGeneration];

/** @throws Error that lists the known ids. */
export function getRecipe(id: string): Recipe {
  const found = RECIPES.find((recipe) => recipe.id === id);
  if (found) return found;
  const known = RECIPES.map((recipe) => recipe.id).join(', ');
  throw new Error(`unknown recipe "${id}"; known: ${known}`);
}
