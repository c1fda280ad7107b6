import { getRecipe } from '../../recipes/index.ts';

/** Whether rollouts by a recipe read summaries where nobody changes that. */
export const readsSummaries = (recipe: string): boolean =>
  getRecipe(recipe).settings.retrieval.summarize === 'on';
