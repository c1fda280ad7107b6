import { RECIPES, type SettingsOverride } from '../../recipes/index.ts';
import type { OptionSpec, OptionValues } from '../options.ts';

export const PARTS_OPTIONS = {
  world: { type: 'string', value: 'DIR', help: 'world folder; the built-in one unless given' },
  policy: {
    type: 'string',
    value: 'DIR',
    help: 'checkpoint folder; the built-in one unless given',
  },
  device: {
    type: 'string',
    help: 'where the policy runs',
    choices: ['wasm', 'webgpu'],
    default: 'wasm',
  },
} as const satisfies Record<string, OptionSpec>;

/** Settings of a recipe that the command line may change. */
export const RECIPE_OPTIONS = {
  recipe: {
    type: 'string',
    value: 'ID',
    help: 'which system',
    choices: RECIPES.map((recipe) => recipe.id),
    default: 'kunlun-baize',
  },
  temperature: { type: 'number', value: 'T', help: 'sampling temperature', min: 0, max: 4 },
  source: {
    type: 'string',
    help: 'where searches go',
    choices: ['local', 'web', 'both', 'router'],
  },
  background: {
    type: 'string',
    help: 'RDRA',
    choices: ['off', 'shown', 'shown-and-used-by-T'],
  },
  stie: { type: 'string', help: 'STIE', choices: ['off', 'paper', 'corrected'] },
  k: { type: 'integer', value: 'K', help: 'passages a search returns', min: 1, max: 20 },
} as const satisfies Record<string, OptionSpec>;

/** What the options change in the recipe's settings. */
export function overridesOf(values: OptionValues): SettingsOverride {
  const { temperature, source, background, stie, k } = values;
  const retrieval = {
    ...(source !== undefined && { source: source as 'local' | 'web' | 'both' | 'router' }),
    ...(k !== undefined && { k: Number(k) }),
  };
  return {
    ...(temperature !== undefined && { sampling: { temperature: Number(temperature) } }),
    ...(Object.keys(retrieval).length > 0 && { retrieval }),
    ...(background !== undefined && {
      background: { mode: background as 'off' | 'shown' | 'shown-and-used-by-T' },
    }),
    ...(stie !== undefined && { stie: { mode: stie as 'off' | 'paper' | 'corrected' } }),
  };
}
