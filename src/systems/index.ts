// Dialects that are no system's own.
import '../agent/transcript/dialects.ts';
import { knownAs } from '../recipes/parts/nearest.ts';
import { allTrainings, findTraining, registerRecipes, type Training } from '../recipes/registry.ts';
import { autoRefine } from './auto-refine/system.ts';
import { betaGrpo } from './beta-grpo/system.ts';
import { deepDiver } from './deep-diver/system.ts';
import { deepResearcher } from './deep-researcher/system.ts';
import { inForage } from './in-forage/system.ts';
import { research } from './research/system.ts';
import { searchR1Format } from './search-r1-format/system.ts';
import { stepSearch } from './step-search/system.ts';
import { verlTool } from './verl-tool/system.ts';
import { exSearch } from './ex-search/system.ts';
import { rexRag } from './rex-rag/system.ts';
import { toolStar } from './tool-star/system.ts';
import { treeRpo } from './tree-rpo/system.ts';
import { zeroSearch } from './zero-search/system.ts';
import { arena } from './arena/system.ts';
import { interleaved } from './interleaved/system.ts';
import { memoryR1 } from './memory-r1/system.ts';
import { rSearch } from './r-search/system.ts';
import { s3 } from './s3/system.ts';
import { afterCtm } from './after-ctm/system.ts';
import { agentDistillation } from './agent-distillation/system.ts';
import { arBench } from './ar-bench/system.ts';
import { cir } from './cir/system.ts';
import { collabRag } from './collab-rag/system.ts';
import { composeRag } from './compose-rag/system.ts';
import { corag } from './corag/system.ts';
import { cort } from './cort/system.ts';
import { dto } from './dto/system.ts';
import { ragGym } from './rag-gym/system.ts';
import { rare } from './rare/system.ts';
import { select2Reason } from './select2reason/system.ts';
import { start } from './start/system.ts';
import { empirical } from './empirical/system.ts';
import { medR3 } from './med-r3/system.ts';
import { r1Router } from './r1-router/system.ts';
import { simpleRlZoo } from './simple-rl-zoo/system.ts';
import { kunlunBaize } from './kunlun-baize/system.ts';
import { naiveGeneration } from './naive-generation/system.ts';
import { naiveRag } from './naive-rag/system.ts';
import { activeRag } from './active-rag/system.ts';
import { chainOfThought } from './chain-of-thought/system.ts';
import { flare } from './flare/system.ts';
import { instructRag } from './instruct-rag/system.ts';
import { ircot } from './ircot/system.ts';
import { iterRetgen } from './iter-retgen/system.ts';
import { rat } from './rat/system.ts';
import { react } from './react/system.ts';
import { rewriteRetrieveRead } from './rewrite-retrieve-read/system.ts';
import { searChain } from './sear-chain/system.ts';
import { selfAsk } from './self-ask/system.ts';
import { selfRag } from './self-rag/system.ts';
import { r1Searcher } from './r1-searcher/system.ts';
import { searchR1 } from './search-r1/system.ts';
import { search } from './search/system.ts';
import { arpo } from './arpo/system.ts';
import { hrpo } from './hrpo/system.ts';
import { inspo } from './inspo/system.ts';
import './guide/define.ts';
import './objective-rules.ts';
import './kdrl/define.ts';
import './ppo/define.ts';
import './question-history/define.ts';
import './speed-rl/define.ts';
import './verifier-pitfalls/define.ts';
import { reSeek } from './re-seek/system.ts';
import { searchO1 } from './search-o1/system.ts';
import { smartRag } from './smart-rag/system.ts';
import { webThinker } from './web-thinker/system.ts';
import type { Recipe } from '../recipes/parts/recipe.ts';
import type { TrainSettings } from '../recipes/parts/training.ts';
import { ur2 } from './ur2/system.ts';
import { ur2Released } from './ur2-released/system.ts';

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
  inspo,
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
