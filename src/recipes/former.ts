import { FORMER_ARENA } from './agents/blocks/arena.ts';
import { rexRag } from './agents/branching/rex-rag.ts';
import { empirical } from './agents/switches/empirical.ts';
import { FORMER_UR2 } from './agents/ur2.ts';
import { verlTool } from './agents/verl-tool.ts';
import { kunlunBaize } from './kunlun-baize.ts';
import { naiveRag } from './naive-rag.ts';
import type { Recipe } from './parts/recipe.ts';
import { r1Searcher } from './r1-searcher.ts';
import { searchR1 } from './search-r1.ts';
import { search } from './search.ts';

/** A recipe as it was in the time of the first world, whose policy read two passages better than three. */
const withTwoPassages = (recipe: Recipe, version: string): Recipe => ({
  ...recipe,
  version,
  settings: { ...recipe.settings, retrieval: { ...recipe.settings.retrieval, k: 2 } },
  training: [],
});

/** A recipe built on Search-R1 as it was when policies whose tags are text were asked for ours. */
const withOurTags = (recipe: Recipe, version: string): Recipe => {
  const { dialect: _, ...settings } = recipe.settings;
  return { ...recipe, version, settings, training: [] };
};

/** Recipes as earlier versions of Forage had them: a run that began so goes on so. */
export const FORMER: readonly Recipe[] = [
  FORMER_UR2,
  FORMER_ARENA,
  withTwoPassages(kunlunBaize, '2'),
  withTwoPassages(search, '1'),
  withTwoPassages(searchR1, '1'),
  withTwoPassages(r1Searcher, '1'),
  withTwoPassages(naiveRag, '1'),
  withOurTags(empirical, '1'),
  withOurTags(rexRag, '1'),
  withOurTags(verlTool, '1'),
];
