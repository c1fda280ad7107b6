import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';

/** One arm of an ablation: a recipe with some of its settings changed. */
export interface AblationArm {
  name: string;
  recipe: string;
  overrides: SettingsOverride;
}

const RDRA_OFF: SettingsOverride = { background: { mode: 'off' } };
const STIE_OFF: SettingsOverride = { stie: { mode: 'off' } };
const NLR_OFF: SettingsOverride = { retrieval: { source: 'both' } };

/**
 * What each mechanism does, from the same questions: added alone to the plain loop, and taken alone
 * from the whole. The first arm is the reference of `compareArms`.
 */
export const MECHANISM_ARMS: readonly AblationArm[] = [
  { name: 'search', recipe: 'search', overrides: {} },
  {
    name: '+ RDRA',
    recipe: 'search',
    overrides: { background: { mode: 'shown-and-used-by-T' } },
  },
  {
    name: '+ RDRA, shown only',
    recipe: 'search',
    overrides: { background: { mode: 'shown' } },
  },
  {
    name: '+ STIE over queries',
    recipe: 'search',
    overrides: { stie: { mode: 'corrected', overAnswers: false } },
  },
  {
    name: '+ STIE over answers',
    recipe: 'search',
    overrides: { stie: { mode: 'corrected', overQueries: false } },
  },
  {
    name: '+ STIE over passages',
    recipe: 'search',
    overrides: {
      stie: { mode: 'corrected', overQueries: false, overAnswers: false, overPassages: true },
    },
  },
  { name: '+ STIE as printed', recipe: 'search', overrides: { stie: { mode: 'paper' } } },
  { name: '+ NLR', recipe: 'search', overrides: { retrieval: { source: 'router' } } },
  { name: 'always local', recipe: 'search', overrides: { retrieval: { source: 'local' } } },
  { name: 'always web', recipe: 'search', overrides: { retrieval: { source: 'web' } } },
  { name: 'kunlun-baize', recipe: 'kunlun-baize', overrides: {} },
  { name: '− RDRA', recipe: 'kunlun-baize', overrides: RDRA_OFF },
  { name: '− STIE', recipe: 'kunlun-baize', overrides: STIE_OFF },
  { name: '− NLR', recipe: 'kunlun-baize', overrides: NLR_OFF },
];

/** The arms without mechanisms, for the table of baselines. */
export const BASELINE_ARMS: readonly AblationArm[] = [
  { name: 'naive generation', recipe: 'naive-generation', overrides: {} },
  { name: 'naive RAG', recipe: 'naive-rag', overrides: {} },
  { name: 'search', recipe: 'search', overrides: {} },
  { name: 'kunlun-baize', recipe: 'kunlun-baize', overrides: {} },
];
