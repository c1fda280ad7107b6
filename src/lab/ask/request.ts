import type { Question } from '../../records/records.ts';
import type { Setup } from '../../records/setup.ts';
import { getRecipe } from '../../systems/index.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import {
  type SettingsOverride,
  mergeOverrides,
  withOverrides,
  LOCAL_ONLY,
} from '../../recipes/parts/settings.ts';
import type { Mechanisms, RunSettings } from '../contract/settings.ts';

/** Turns what the user set into what the agent takes. */

const SOURCES = {
  router: 'router',
  'always-local': 'local',
  'always-web': 'web',
  both: 'both',
} as const;

/** Only the fields that the user set; everything else stays as in the recipe. */
const overridesOf = (
  temperature: number | null,
  mechanisms: Mechanisms,
  setup: Pick<Setup, 'summarizer' | 'source'>,
): SettingsOverride => {
  const { background, stie, router, reward, protocol, k } = mechanisms;
  const summarize = setup.summarizer.kind !== 'off';
  const named: SettingsOverride = {
    ...(temperature !== null && { sampling: { temperature } }),
    ...(background !== undefined && { background: { mode: background } }),
    ...(protocol !== undefined && { dialect: protocol }),
    ...(stie !== undefined && { stie: { mode: stie } }),
    ...(reward !== undefined && { nlr: { reward } }),
    ...((router !== undefined || k !== undefined || summarize) && {
      retrieval: {
        ...(router !== undefined && { source: SOURCES[router] }),
        ...(k !== undefined && { k }),
        ...(summarize && { summarize: 'on' as const }),
      },
    }),
  };
  if (setup.source !== 'local') return named;
  // A source that the run names for its searches counts before the setup's; the background's has no name there.
  const alone = router === undefined || router === 'always-local';
  const { background: own, ...searches } = LOCAL_ONLY;
  return mergeOverrides({ background: own, ...(alone && searches) }, named);
};

export const recipeFor = (
  settings: RunSettings,
  setup: Pick<Setup, 'summarizer' | 'source'>,
): { recipe: Recipe; overrides: SettingsOverride } => ({
  recipe: getRecipe(settings.recipe),
  overrides: overridesOf(settings.temperature, settings.mechanisms, setup),
});

/** @throws Error where the rollouts would read summaries that nobody writes */
export function checkSummaries(
  { recipe, overrides }: { recipe: Recipe; overrides: SettingsOverride },
  summarizer: boolean,
): void {
  const { retrieval } = withOverrides(recipe.settings, overrides);
  if (retrieval.summarize === 'on' && !summarizer)
    throw new Error(
      `${recipe.title} needs a summarizer, and none is chosen. Choose one under “Model and data”; extractive is built in.`,
    );
}

/** A question without gold: it is answered, not scored. */
export const typedQuestion = (text: string): Question => ({
  id: 'typed',
  text: text.trim(),
  answers: [],
  supporting: [],
});
