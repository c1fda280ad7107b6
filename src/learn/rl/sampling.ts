import { loadedCode } from '../../recipes/parts/declared.ts';
import type { SystemSettings } from '../../recipes/parts/system.ts';
import type { DynamicSampling } from '../../recipes/parts/training.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { KeptNumbers } from '../branching/grouping.ts';
import type { Collected, CollectRequest } from './collect.ts';
import type { DrawnQuestion, Json } from './contracts.ts';

/** Systems' ways to sample the groups of a step; `collect.ts` has the parts to build one from. */

/** A question to sample: its position among the step's draws, and its number of rollouts. */
export interface PlannedGroup {
  drawn: DrawnQuestion;
  batch: number;
  place: number;
  /** Rollouts of it that are made already. */
  begun: readonly Rollout[];
  /** Rollouts including those: the whole group, or a part of it. */
  size: number;
}

/** A request with the state that its rollouts share. */
export interface SamplingRequest extends CollectRequest {
  /** Rollouts done and planned; `done` never decreases. */
  progress: { done: number; total: number };
  kept: KeptNumbers;
}

/** Groups of a step that were sampled in the one before. */
export interface SampledAhead {
  /** The step that they are for. */
  step: number;
  /** State of the curriculum before they were drawn, so that they can be drawn again. */
  curriculum: Json;
  batches: number;
  /** Their rollouts, in the order of the draws. */
  groups: Rollout[][];
}

/** All groups of a step before some are chosen, and their questions. */
export interface SampledGroups extends Pick<Collected, 'stale' | 'ahead'> {
  wanted: PlannedGroup[];
  all: Rollout[][];
  batches: number;
  /** Those of `all` that may be trained; absent: all. */
  whole?: Rollout[][];
}

export type SampleGroups = (
  request: SamplingRequest,
  dynamic: DynamicSampling,
) => Promise<SampledGroups>;

const code = loadedCode<(system: SystemSettings) => SampleGroups>('way to sample groups');

/** Says where a system's way to sample is; it is loaded with the first step. */
export const provideSampling = code.provide;

/** @throws Error where the system provides none */
export const loadSampling = async (system: SystemSettings): Promise<SampleGroups> =>
  (await code.load(system.id))(system);
