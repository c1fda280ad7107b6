import type { Note, Refusal, OmittedPart } from '../../handover/export/mapping/mapping.ts';
import type { Trainer } from '../../handover/export/parts/experiment.ts';
import type { Setup } from '../../records/setup.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Download } from './training.ts';

/** Experiments that leave this browser, for a trainer on a cluster. */

/** A run as it stands, or a recipe with its settings. */
export type ExportSubject =
  /** `steps`: of the whole run, for one that is to continue for more than it has. */
  | { kind: 'run'; runId: string; steps: number }
  | { kind: 'settings'; settings: TrainSettings; setup: Setup };

export interface ExportPlan {
  /** What the trainer cannot follow; empty where the folder can be made. */
  refusals: readonly Refusal[];
  /** Where it computes something else, with how much. */
  notes: readonly Note[];
  /** Paths in the folder; none while something is refused. */
  files: readonly string[];
}

/** Calls that the page makes. All reject with an Error whose message can be shown. */
export interface ExportApi {
  plan(subject: ExportSubject, to: Trainer, without: readonly OmittedPart[]): Promise<ExportPlan>;
  /** The folder as a tar archive. */
  folder(subject: ExportSubject, to: Trainer, without: readonly OmittedPart[]): Promise<Download>;
}
