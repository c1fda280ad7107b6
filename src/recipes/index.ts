import { autoRefine } from './agents/auto-refine.ts';
import { betaGrpo } from './agents/beta-grpo.ts';
import { deepDiver } from './agents/deep-diver.ts';
import { deepResearcher } from './agents/deep-researcher.ts';
import { inForage } from './agents/in-forage.ts';
import { reSeek } from './agents/re-seek.ts';
import { research } from './agents/research.ts';
import { searchR1Format } from './agents/search-r1-format.ts';
import { stepSearch } from './agents/step-search.ts';
import { verlTool } from './agents/verl-tool.ts';
import { zeroSearch } from './agents/zero-search.ts';
import { kunlunBaize } from './kunlun-baize.ts';
import { naiveGeneration } from './naive-generation.ts';
import { naiveRag } from './naive-rag.ts';
import { r1Searcher } from './r1-searcher.ts';
import { searchR1 } from './search-r1.ts';
import { search } from './search.ts';
import type { Recipe, Variant } from './recipe.ts';
import type { TrainSettings } from './training.ts';
import { ur2 } from './ur2.ts';

/** Every system, in the order of menus. A new one is its file and a line here. */
export const RECIPES: readonly Recipe[] = [
  kunlunBaize,
  search,
  searchR1,
  r1Searcher,
  ur2,
  searchR1Format,
  research,
  zeroSearch,
  autoRefine,
  stepSearch,
  deepResearcher,
  deepDiver,
  inForage,
  betaGrpo,
  reSeek,
  verlTool,
  naiveRag,
  naiveGeneration,
];

/** @throws Error that lists the known ids. */
export function getRecipe(id: string): Recipe {
  const found = RECIPES.find((recipe) => recipe.id === id);
  if (found) return found;
  const known = RECIPES.map((recipe) => recipe.id).join(', ');
  throw new Error(`unknown recipe "${id}"; known: ${known}`);
}

/** One way to train one recipe. */
export interface Training {
  /** `search-r1/grpo` */
  id: string;
  recipe: Recipe;
  variant: Variant;
}

/** Every variant of every recipe that is trained. */
export const TRAININGS: readonly Training[] = RECIPES.flatMap((recipe) =>
  recipe.training.map((variant) => ({ id: `${recipe.id}/${variant.name}`, recipe, variant })),
);

/**
 * The training that an id names: `search-r1/grpo`, a recipe's id alone for its usual variant, or the id
 * that a variant had in version 0.1.0. Undefined where there is none.
 */
export const findTraining = (id: string): Training | undefined =>
  TRAININGS.find((one) => one.id === id) ??
  TRAININGS.find(({ recipe }) => recipe.id === id) ??
  TRAININGS.find(({ variant }) => variant.formerId === id);

/** What stored settings began as, by today's id; a name of nobody's stays what it is. */
export const currentId = (stored: string): string =>
  TRAININGS.find(({ variant }) => variant.formerId === stored)?.id ?? stored;

/** An id as part of a run's id or a file's name: `search-r1-grpo`. */
export const asWord = (id: string): string => id.replaceAll(/[^\w-]+/gu, '-').slice(0, 40);

/** Settings of a run, as a copy. @throws Error that lists the ids where there is no such training */
export function getTraining(id: string): TrainSettings {
  const found = findTraining(id);
  if (!found) throw new Error(untrained(id));
  const { recipe, variant } = found;
  const named = { preset: found.id, recipe: variant.loop ?? recipe.id };
  return structuredClone({ ...variant.settings, ...named });
}

const untrained = (id: string): string => {
  const ids = TRAININGS.map((one) => one.id).join(', ');
  const isBaseline = RECIPES.some((recipe) => recipe.id === id);
  return isBaseline
    ? `recipe "${id}" has no training of its own; choose one of ${ids}, and its loop with recipe=${id}`
    : `no recipe "${id}" to train by; there are ${ids}`;
};
