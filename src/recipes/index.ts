import { knownAs } from './parts/nearest.ts';
import { autoRefine } from './agents/auto-refine.ts';
import { betaGrpo } from './agents/beta-grpo.ts';
import { deepDiver } from './agents/deep-diver.ts';
import { deepResearcher } from './agents/deep-researcher.ts';
import { hrpo } from './agents/hrpo.ts';
import { inForage } from './agents/in-forage.ts';
import { reSeek } from './agents/re-seek.ts';
import { research } from './agents/research.ts';
import { searchR1Format } from './agents/search-r1-format.ts';
import { stepSearch } from './agents/step-search.ts';
import { verlTool } from './agents/verl-tool.ts';
import { arpo } from './agents/branching/arpo.ts';
import { exSearch } from './agents/branching/ex-search.ts';
import { rexRag } from './agents/branching/rex-rag.ts';
import { toolStar } from './agents/branching/tool-star.ts';
import { treeRpo } from './agents/branching/tree-rpo.ts';
import { zeroSearch } from './agents/zero-search.ts';
import { arena } from './agents/blocks/arena.ts';
import { interleaved } from './agents/blocks/interleaved.ts';
import { memoryR1 } from './agents/blocks/memory-r1.ts';
import { rSearch } from './agents/blocks/r-search.ts';
import { s3 } from './agents/blocks/s3.ts';
import { OTHERWISE } from './agents/otherwise/list.ts';
import { empirical } from './agents/switches/empirical.ts';
import { medR3 } from './agents/steps/med-r3.ts';
import { r1Router } from './agents/steps/r1-router.ts';
import { smartRag } from './agents/steps/smart-rag.ts';
import { simpleRlZoo } from './agents/switches/simple-rl-zoo.ts';
import { kunlunBaize } from './kunlun-baize.ts';
import { naiveGeneration } from './naive-generation.ts';
import { naiveRag } from './naive-rag.ts';
import { PROMPTED } from './prompted/list.ts';
import { r1Searcher } from './r1-searcher.ts';
import { searchR1 } from './search-r1.ts';
import { search } from './search.ts';
import type { OwnTrajectories } from './parts/own-trajectories.ts';
import type { Recipe, Variant } from './parts/recipe.ts';
import type { TrainSettings } from './parts/training.ts';
import { ur2 } from './agents/ur2.ts';
import { ur2Released } from './agents/ur2-released.ts';

/** All systems, in menu order. To add one: a file and a line here. */
export const RECIPES: readonly Recipe[] = [
  kunlunBaize,
  search,
  searchR1,
  r1Searcher,
  ur2,
  ur2Released,
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
  toolStar,
  arpo,
  treeRpo,
  rexRag,
  exSearch,
  empirical,
  rSearch,
  s3,
  arena,
  memoryR1,
  interleaved,
  r1Router,
  smartRag,
  medR3,
  simpleRlZoo,
  hrpo,
  ...OTHERWISE,
  naiveRag,
  naiveGeneration,
  ...PROMPTED,
];

/** @throws Error that names similar ids. */
export function getRecipe(id: string): Recipe {
  const found = RECIPES.find((recipe) => recipe.id === id);
  if (found) return found;
  const known = RECIPES.map((recipe) => recipe.id);
  throw new Error(`unknown recipe "${id}"; ${knownAs(id, known)}`);
}

/** The recipe whose loop a run's rollouts use. @throws Error that names similar ids */
export const recipeOf = ({ recipe }: Pick<TrainSettings, 'recipe'>): Recipe => getRecipe(recipe);

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

/** The training with an id: `search-r1/grpo`, or a recipe's id for its first variant. Undefined if there is none. */
export const findTraining = (id: string): Training | undefined =>
  TRAININGS.find((one) => one.id === id) ?? TRAININGS.find(({ recipe }) => recipe.id === id);

/**
 * Which of its policy's rollouts a training with a stored loss uses if no file is given: as its variant says,
 * otherwise correct ones, or pairs of a correct and a wrong one.
 */
export function ownTrajectoriesOf({
  preset,
  stages,
}: Pick<TrainSettings, 'preset' | 'stages'>): OwnTrajectories {
  const said = findTraining(preset)?.variant.trajectories;
  const pairs = stages.some(({ loss }) => loss?.kind === 'stored-dpo');
  return said ?? { choice: pairs ? { weight: 'none', pairs: 'reward' } : { weight: 'right' } };
}

/** An id as part of a run's id or a file's name: `search-r1-grpo`. */
export const asWord = (id: string): string => id.replaceAll(/[^\w-]+/gu, '-').slice(0, 40);

/** A copy of a run's settings. @throws Error that names similar ids if there is no such training */
export function getTraining(id: string): TrainSettings {
  const found = findTraining(id);
  if (!found) throw new Error(untrained(id));
  const { recipe, variant } = found;
  const named = { preset: found.id, recipe: variant.loop ?? recipe.id };
  return structuredClone({ ...variant.settings, ...named });
}

/** The trainings there are, for the error about an unknown one. */
export const knownTrainings = (id: string): string =>
  knownAs(
    id,
    TRAININGS.map((one) => one.id),
    '“lab recipes”',
  );

const untrained = (id: string): string => {
  const isBaseline = RECIPES.some((recipe) => recipe.id === id);
  return isBaseline
    ? `recipe "${id}" has no training; choose another recipe's, such as ${TRAININGS[0]?.id}, with recipe=${id} for the loop`
    : `no recipe "${id}" to train by; ${knownTrainings(id)}`;
};
