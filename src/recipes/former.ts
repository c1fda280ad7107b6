import { betaGrpo } from './agents/beta-grpo.ts';
import { arena } from './agents/blocks/arena.ts';
import { rSearch } from './agents/blocks/r-search.ts';
import { s3 } from './agents/blocks/s3.ts';
import { arpo } from './agents/branching/arpo.ts';
import { rexRag } from './agents/branching/rex-rag.ts';
import { toolStar } from './agents/branching/tool-star.ts';
import { deepResearcher } from './agents/deep-researcher.ts';
import { hrpo } from './agents/hrpo.ts';
import { inForage } from './agents/in-forage.ts';
import { reSeek } from './agents/re-seek.ts';
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

/** A recipe as it was when policies whose tags are text were asked for ours. */
const withOurTags = (recipe: Recipe, version: string): Recipe => {
  const { dialect: _, ...settings } = recipe.settings;
  return { ...recipe, version, settings, training: [] };
};

/** ARENA as it was before its passages stood where a result does: behind a background the shipped policy names none. */
const withBackground = (recipe: Recipe): Recipe => ({
  ...recipe,
  version: '1',
  settings: { ...recipe.settings, method: { firstSearch: 'question' } },
});

/** A recipe as it was when it spoke the tags of Search-R1 for its own. */
const withTagsOfSearchR1 = (recipe: Recipe, version: string): Recipe => ({
  ...recipe,
  version,
  settings: { ...recipe.settings, dialect: 'search-r1' },
  training: [],
});

/** Recipes as earlier versions of Forage had them: a run that began so goes on so. */
export const FORMER: readonly Recipe[] = [
  FORMER_UR2,
  withBackground(withOurTags(arena, '1')),
  withOurTags(arena, '2'),
  withTwoPassages(kunlunBaize, '2'),
  withTwoPassages(search, '1'),
  withTwoPassages(searchR1, '1'),
  withTwoPassages(r1Searcher, '1'),
  withTwoPassages(naiveRag, '1'),
  withOurTags(empirical, '1'),
  withOurTags(rexRag, '1'),
  withOurTags(verlTool, '1'),
  ...[reSeek, rSearch, deepResearcher, betaGrpo, toolStar, arpo, s3, hrpo].map((recipe) =>
    withOurTags(recipe, '1'),
  ),
  withTagsOfSearchR1(inForage, '1'),
];
