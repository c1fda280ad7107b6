import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import type { Policy } from '../../policy/policy.ts';
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

/**
 * Loops that take whole turns of the model's, as those do whose policy only reads; the others write in its place, or stop it
 * within a turn.
 */
const IN_TURNS: ReadonlySet<RecipeSettings['loop']> = new Set<RecipeSettings['loop']>([
  'agent',
  'naive-rag',
  'naive-generation',
  'think',
  'rationale',
]);

/** Why the tools protocol cannot be spoken, in one sentence; null where it can, or is not asked for. */
export function turnsReason(
  { chat, info, tokenizer }: Pick<Policy, 'chat' | 'info' | 'tokenizer'>,
  settings: Pick<RecipeSettings, 'dialect' | 'loop' | 'system'>,
  spelling: Tags['spelling'],
): string | null {
  const { dialect, loop } = settings;
  if (dialect !== 'tools' || spelling === 'ids') return null;
  if (!IN_TURNS.has(loop) && traitsOf(settings).way !== 'read')
    return `The tools protocol does not fit the loop "${loop}", which stops the model within its turns; leave out dialect=tools, or use --recipe search.`;
  return chat && tokenizer.encodeTemplate
    ? null
    : `The tools protocol needs a chat template, and ${info.id} has none; leave out dialect=tools, or choose an instruction-tuned model.`;
}
