import type { Question } from '../../data/records.ts';
import { getRecipe, type Recipe, type SettingsOverride } from '../../recipes/index.ts';
import type { Mechanisms, RunSettings } from './settings.ts';

/** Turns what the user set into what the agent takes. */

const SOURCES = {
  router: 'router',
  'always-local': 'local',
  'always-web': 'web',
  both: 'both',
} as const;

/** Only the fields that the user set; everything else stays as the recipe has it. */
export const overridesOf = (temperature: number, mechanisms: Mechanisms): SettingsOverride => {
  const { background, stie, router, reward, k } = mechanisms;
  return {
    sampling: { temperature },
    ...(background !== undefined && { background: { mode: background } }),
    ...(stie !== undefined && { stie: { mode: stie } }),
    ...(reward !== undefined && { nlr: { reward } }),
    ...((router !== undefined || k !== undefined) && {
      retrieval: {
        ...(router !== undefined && { source: SOURCES[router] }),
        ...(k !== undefined && { k }),
      },
    }),
  };
};

export const recipeFor = (
  settings: RunSettings,
): { recipe: Recipe; overrides: SettingsOverride } => ({
  recipe: getRecipe(settings.recipe),
  overrides: overridesOf(settings.temperature, settings.mechanisms),
});

/** A question without gold: it is answered, not scored. */
export const typedQuestion = (text: string): Question => ({
  id: 'typed',
  text: text.trim(),
  answers: [],
  supporting: [],
});
