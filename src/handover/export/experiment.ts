import type { AdapterFile } from '../../policy/lora/peft.ts';
import type { Question } from '../../records/records.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import type { TrainSettings } from '../../recipes/training.ts';

/** What is exported: everything that the experiment is made of, wherever it was described. */
export interface Experiment {
  readonly settings: TrainSettings;
  readonly policy: {
    readonly id: string;
    /** Beginning of the SHA-256 of its weights. */
    readonly revision: string;
    /** Where its files are on the machine that exports; null where that is no folder. */
    readonly folder: string | null;
    /** Most tokens of one context. */
    readonly maxContext: number;
    /** Rows of its embedding: ids are below. */
    readonly vocabulary: number;
  };
  readonly world: {
    /** null: the built-in one, which comes with Forage. */
    readonly folder: string | null;
    readonly seed: number;
  };
  /** What stands in the place of the world, in a line for people; null where nothing does. */
  readonly elsewhere: string | null;
  /** `train` questions may be drawn, `dev` questions are held out; others are left out. */
  readonly questions: readonly (Question & { readonly split?: string | undefined })[];
  /** The run that is gone on with; null where the experiment begins. */
  readonly run: ExperimentRun | null;
  /** Version of Forage. */
  readonly version: string;
}

export interface ExperimentRun {
  readonly id: string;
  /** Whole steps made. */
  readonly step: number;
  /** State of its curriculum, null before its first draw. */
  readonly curriculum: Json;
  /** PEFT folder of its last snapshot. */
  readonly adapter: readonly AdapterFile[];
}
