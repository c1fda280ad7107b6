import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { Tags } from '../transcript/tags.ts';

/**
 * Why a policy cannot run a recipe, in one sentence; null where it can.
 * @param spelling of the policy's tags: one whose tags are ids of their own cannot be asked in natural language
 */
export const mismatchReason = (
  { needs, id, title = id }: Pick<Recipe, 'id'> & Partial<Pick<Recipe, 'needs' | 'title'>>,
  spelling: Tags['spelling'],
): string | null =>
  needs === 'words' && spelling === 'ids'
    ? `${title} needs a chat model, and this model knows only the tags of the protocol; choose a checkpoint folder, WebLLM or a server`
    : null;
