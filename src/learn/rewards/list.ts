import type { Reward } from './parts/definition.ts';
import { registerRewards } from './registry.ts';
import { kunlunByForm, kunlunLong, kunlunShort } from './kunlun-baize.ts';
import { plainEm, plainF1 } from './outcome.ts';
import {
  r1SearcherStage1,
  r1SearcherStage1Released,
  r1SearcherStage2,
  r1SearcherStage2Instruct,
  r1SearcherStage2Released,
} from './r1-searcher.ts';
import { autorefine, research } from './research.ts';
import {
  searchR1,
  searchR1Format,
  searchR1FormatRetrieval,
  searchR1Released,
} from './search-r1.ts';
import { betaGrpo } from './systems/beta-grpo.ts';
import { cir } from './systems/cir.ts';
import { cort, cortReleased } from './systems/cort.ts';
import { deepDiver, deepDiverLoose } from './systems/deep-diver.ts';
import { deepResearcher } from './systems/deep-researcher.ts';
import { inForage, inForageReleased } from './systems/in-forage.ts';
import { medR3Stage2 } from './systems/med-r3.ts';
import { reSeek, reSeekMean, reSeekReleased, reSeekSymmetric } from './systems/re-seek.ts';
import { smartRag } from './systems/smart-rag.ts';
import { stepSearch, stepSearchReleased, stepSearchTfIdf } from './systems/step-search.ts';
import { toolStar } from './systems/tool-star.ts';
import { memoryR1, memoryR1Retrieved } from './systems/answerer/s3.ts';
import { rewriter } from './systems/answerer/s3.ts';
import { rSearch } from './systems/answerer/r-search.ts';
import { s3Gain, s3Released } from './systems/answerer/s3.ts';
import { collabRag } from './systems/steps/collab-rag.ts';
import { arBenchAsks } from './systems/steps/ar-bench.ts';
import { arena, arenaReleased } from './systems/steps/arena.ts';
import {
  interleaved,
  interleavedAll,
  interleavedPartial,
  interleavedUngated,
} from './systems/steps/interleaved.ts';
import { medR3 } from './systems/steps/med-r3.ts';
import { r1Router, r1RouterStep } from './systems/steps/r1-router.ts';
import { fspo, fspoReleased } from './switches/fspo.ts';
import { posterior, posteriorUngated } from './switches/posterior.ts';
import { ur2Stage1Released, ur2Stage2Released } from './ur2-released.ts';
import { ur2Stage1, ur2Stage1Llama, ur2Stage1Small, ur2Stage1Weak, ur2Stage2 } from './ur2.ts';

/** Rewards of published systems, in the order of the menus. */
export const PUBLISHED = [
  kunlunShort,
  kunlunLong,
  kunlunByForm,
  ur2Stage1,
  ur2Stage1Small,
  ur2Stage1Llama,
  ur2Stage1Weak,
  ur2Stage1Released,
  ur2Stage2,
  ur2Stage2Released,
  r1SearcherStage1,
  r1SearcherStage1Released,
  r1SearcherStage2,
  r1SearcherStage2Released,
  r1SearcherStage2Instruct,
  searchR1,
  searchR1Released,
  searchR1Format,
  searchR1FormatRetrieval,
  research,
  autorefine,
  stepSearch,
  deepResearcher,
  inForage,
  betaGrpo,
  smartRag,
  medR3Stage2,
  reSeek,
  deepDiverLoose,
  deepDiver,
  toolStar,
] as const;

/** Rewards that look at what no file of another system's rollouts carries: blocks, gold steps, frozen answers. */
const OF_OWN_RECORDS = [
  rSearch,
  s3Gain,
  s3Released,
  memoryR1,
  memoryR1Retrieved,
  arena,
  arenaReleased,
  interleaved,
  interleavedPartial,
  interleavedAll,
  interleavedUngated,
  medR3,
  r1Router,
  r1RouterStep,
  collabRag,
  fspo,
  fspoReleased,
  posterior,
  posteriorUngated,
  cort,
  cortReleased,
  cir,
  stepSearchReleased,
  stepSearchTfIdf,
  reSeekReleased,
  inForageReleased,
  rewriter,
  reSeekMean,
  reSeekSymmetric,
  arBenchAsks,
] as const;

/** Scores of the answer only. */
export const OUTCOME = [plainEm, plainF1] as const;

/** Every reward that a stage of training may have. */
export const REWARDS = [...PUBLISHED, ...OF_OWN_RECORDS, ...OUTCOME] as const;
export type RewardId = (typeof REWARDS)[number]['id'];

/** Ids of rewards, in their order. */
export const idsOf = <Id extends string>(rewards: readonly Reward<Id>[]): Id[] =>
  rewards.map(({ id }) => id);

export const REWARD_IDS: readonly RewardId[] = idsOf<RewardId>(REWARDS);

registerRewards(REWARDS);

/** The reward of an id, or null. */
export const rewardById = (id: string, rewards: readonly Reward[] = REWARDS): Reward | null =>
  rewards.find((reward) => reward.id === id) ?? null;
