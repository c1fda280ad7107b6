import { registerRewards } from '../learn/rewards/registry.ts';
import { kunlunByForm, kunlunLong, kunlunShort } from './kunlun-baize/reward.ts';
import { plainEm, plainF1 } from '../learn/rewards/outcome.ts';
import {
  r1SearcherStage1,
  r1SearcherStage1Released,
  r1SearcherStage2,
  r1SearcherStage2Instruct,
  r1SearcherStage2Released,
} from './r1-searcher/reward.ts';
import { autorefine } from './auto-refine/reward.ts';
import { research } from './research/reward.ts';
import {
  searchR1,
  searchR1Format,
  searchR1FormatRetrieval,
  searchR1Released,
} from './search-r1/reward.ts';
import { betaGrpo } from './beta-grpo/reward.ts';
import { cir } from './cir/reward.ts';
import { cort, cortReleased } from './cort/reward.ts';
import { deepDiver, deepDiverLoose } from './deep-diver/reward.ts';
import { deepResearcher } from './deep-researcher/reward.ts';
import { inForage, inForageReleased } from './in-forage/reward.ts';
import { reSeek, reSeekMean, reSeekReleased, reSeekSymmetric } from './re-seek/reward.ts';
import { smartRag } from './smart-rag/reward.ts';
import { stepSearch, stepSearchReleased, stepSearchTfIdf } from './step-search/reward.ts';
import { toolStar } from './tool-star/reward.ts';
import { memoryR1, memoryR1Retrieved } from './memory-r1/reward.ts';
import { rewriter } from './rewrite-retrieve-read/reward.ts';
import { rSearch } from './r-search/reward.ts';
import { s3Gain, s3Released } from './s3/reward.ts';
import { collabRag } from './collab-rag/reward.ts';
import { arBenchAsks } from './ar-bench/reward.ts';
import { arena, arenaReleased } from './arena/reward.ts';
import {
  interleaved,
  interleavedAll,
  interleavedPartial,
  interleavedUngated,
} from './interleaved/reward.ts';
import { medR3, medR3Stage2 } from './med-r3/reward.ts';
import { r1Router, r1RouterStep } from './r1-router/reward.ts';
import { fspo, fspoReleased } from './fspo/reward.ts';
import { posterior, posteriorUngated } from './posterior-grpo/reward.ts';
import { ur2Stage1Released, ur2Stage2Released } from './ur2-released/reward.ts';
import {
  ur2Stage1,
  ur2Stage1Llama,
  ur2Stage1Small,
  ur2Stage1Weak,
  ur2Stage2,
} from './ur2/reward.ts';

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

/** Every reward that a stage of training may have. Importing this file registers them. */
export const REWARDS = [...PUBLISHED, ...OF_OWN_RECORDS, ...OUTCOME] as const;
export type RewardId = (typeof REWARDS)[number]['id'];

registerRewards(REWARDS);
