import type { PolicyInfo, Policy } from '../policy/policy.ts';
import {
  mergeOverrides,
  type SettingsOverride,
  type RecipeSettings,
} from '../recipes/parts/settings.ts';
import type { Recipe } from '../recipes/parts/recipe.ts';
import { traitsOf } from '../recipes/parts/system.ts';
import type { Tags } from './transcript/tags.ts';
import type { Question } from '../records/records.ts';

/** Questions are asked with the sampling that the checkpoint's authors name, except for what the user set. */
export const askedWith = (
  { sampling }: Pick<PolicyInfo, 'sampling'>,
  over: SettingsOverride,
): SettingsOverride => (sampling ? mergeOverrides({ sampling }, over) : over);

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

/**
 * Nothing is retrieved, a recipe's background included. The policy gets the hint that it cannot search; a
 * search is a fault, and its answer is asked for.
 */
const WITHOUT_RETRIEVAL: SettingsOverride = {
  retrieval: { maxSearches: 0 },
  background: { mode: 'off' },
};

/** What is changed in the recipe's settings for a question: where it may not retrieve, that as well. */
export const permitted = (
  { mayRetrieve }: Pick<Question, 'mayRetrieve'>,
  overrides: SettingsOverride,
): SettingsOverride =>
  mayRetrieve === false ? mergeOverrides(overrides, WITHOUT_RETRIEVAL) : overrides;
