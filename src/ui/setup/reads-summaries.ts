import { getRecipe } from '../../systems/index.ts';

/** Whether rollouts of a recipe read summaries by default. */
export const readsSummaries = (recipe: string): boolean =>
  getRecipe(recipe).settings.retrieval.summarize === 'on';
