import type { TrainSettings } from '../../../recipes/parts/training.ts';

/** Another trainer's form of Forage's settings: plain values, so that every case can be checked by hand. */

/** Parts of an experiment that it may do without where a trainer has no counterpart. */
export const OMITTABLE_PARTS = [
  'dynamic-sampling',
  'kl',
  'credit',
  'router',
  'warm-up',
  'adapter',
] as const;
export type OmittedPart = (typeof OMITTABLE_PARTS)[number];

/** A setting that the trainer cannot follow. */
export interface Refusal {
  /** Path of the setting: `objective.estimator`. */
  readonly setting: string;
  /** What the trainer lacks, and what to do: one sentence or two. */
  readonly why: string;
  /** What may be left out so that it can; null where that would be another experiment. */
  readonly without: OmittedPart | null;
}

/** A place where the trainer computes something else, with how much where that is known. */
export interface Note {
  readonly setting: string;
  readonly text: string;
}

export interface Mapping<Arguments> {
  readonly arguments: Arguments;
  readonly notes: readonly Note[];
  /** Empty where the experiment can be run. */
  readonly refusals: readonly Refusal[];
}

/** What a mapping depends on. */
export interface MappingInput {
  readonly settings: TrainSettings;
  /** Most tokens of one context. */
  readonly maxContext: number;
  /** Steps that are made already; the trainer makes the others. */
  readonly startStep: number;
  /** Whether an adapter is given that the trainer continues with. */
  readonly hasAdapter: boolean;
}
