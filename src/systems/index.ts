import { knownAs } from '../recipes/parts/nearest.ts';
import { allTrainings, findTraining, registerRecipes, type Training } from '../recipes/registry.ts';
import { autoRefine } from '../recipes/agents/auto-refine.ts';
import { betaGrpo } from '../recipes/agents/beta-grpo.ts';
import { deepDiver } from './deep-diver/system.ts';
import { deepResearcher } from './deep-researcher/system.ts';
import { inForage } from '../recipes/agents/in-forage.ts';
import { research } from '../recipes/agents/research.ts';
import { searchR1Format } from '../recipes/agents/search-r1-format.ts';
import { stepSearch } from './step-search/system.ts';
import { verlTool } from '../recipes/agents/verl-tool.ts';
import { exSearch } from '../recipes/agents/branching/ex-search.ts';
import { rexRag } from '../recipes/agents/branching/rex-rag.ts';
import { toolStar } from '../recipes/agents/branching/tool-star.ts';
import { treeRpo } from '../recipes/agents/branching/tree-rpo.ts';
import { zeroSearch } from '../recipes/agents/zero-search.ts';
import { arena } from '../recipes/agents/blocks/arena.ts';
import { interleaved } from '../recipes/agents/blocks/interleaved.ts';
import { memoryR1 } from './memory-r1/system.ts';
import { rSearch } from '../recipes/agents/blocks/r-search.ts';
import { s3 } from '../recipes/agents/blocks/s3.ts';
import { afterCtm } from '../recipes/agents/otherwise/after-ctm.ts';
import { agentDistillation } from './agent-distillation/system.ts';
import { arBench } from './ar-bench/system.ts';
import { cir } from '../recipes/agents/otherwise/cir.ts';
import { collabRag } from './collab-rag/system.ts';
import { composeRag } from './compose-rag/system.ts';
import { corag } from './corag/system.ts';
import { cort } from './cort/system.ts';
import { dto } from '../recipes/agents/otherwise/dto.ts';
import { ragGym } from './rag-gym/system.ts';
import { rare } from '../recipes/agents/otherwise/rare.ts';
import { select2Reason } from '../recipes/agents/otherwise/select2reason.ts';
import { start } from './start/system.ts';
import { empirical } from '../recipes/agents/empirical.ts';
import { medR3 } from '../recipes/agents/med-r3.ts';
import { r1Router } from './r1-router/system.ts';
import { simpleRlZoo } from '../recipes/agents/simple-rl-zoo.ts';
import { kunlunBaize } from '../recipes/kunlun-baize.ts';
import { naiveGeneration } from '../recipes/naive-generation.ts';
import { naiveRag } from '../recipes/naive-rag.ts';
import { activeRag } from './active-rag/system.ts';
import { chainOfThought } from '../recipes/prompted/chain-of-thought.ts';
import { flare } from './flare/system.ts';
import { instructRag } from './instruct-rag/system.ts';
import { ircot } from './ircot/system.ts';
import { iterRetgen } from './iter-retgen/system.ts';
import { rat } from './rat/system.ts';
import { react } from './react/system.ts';
import { rewriteRetrieveRead } from './rewrite-retrieve-read/system.ts';
import { searChain } from './sear-chain/system.ts';
import { selfAsk } from '../recipes/prompted/self-ask.ts';
import { selfRag } from './self-rag/system.ts';
import { r1Searcher } from '../recipes/r1-searcher.ts';
import { searchR1 } from './search-r1/system.ts';
import { search } from '../recipes/search.ts';
import { arpo } from './arpo/system.ts';
import { hrpo } from './hrpo/system.ts';
import { reSeek } from './re-seek/system.ts';
import { searchO1 } from './search-o1/system.ts';
import { smartRag } from './smart-rag/system.ts';
import { webThinker } from './web-thinker/system.ts';
import type { Recipe } from '../recipes/parts/recipe.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';
import { ur2 } from '../recipes/agents/ur2.ts';
import { ur2Released } from '../recipes/agents/ur2-released.ts';

export { findTraining, getRecipe, recipeOf, type Training } from '../recipes/registry.ts';

/** All systems, in menu order. To add one: a folder and a line here. Importing this file registers them. */
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
  corag,
  collabRag,
  ragGym,
  webThinker,
  rare,
  start,
  agentDistillation,
  select2Reason,
  dto,
  cort,
  cir,
  afterCtm,
  arBench,
  composeRag,
  naiveRag,
  naiveGeneration,
  chainOfThought,
  rewriteRetrieveRead,
  ircot,
  iterRetgen,
  selfAsk,
  rat,
  searchO1,
  react,
  flare,
  selfRag,
  searChain,
  instructRag,
  activeRag,
];

registerRecipes(RECIPES);

/** Every variant of every recipe that is trained. */
export const TRAININGS: readonly Training[] = allTrainings();

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
