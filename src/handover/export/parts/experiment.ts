import type { AdapterFile } from '../../../policy/lora/peft.ts';
import type { Json } from '../../../learn/rl/contracts.ts';
import type { Question } from '../../../records/records.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { Experiment } from '../../environment/experiment.ts';
import type { Note, OmittedPart } from '../mapping/mapping.ts';

/** The exported experiment, from the folders of the command line or the stores of the page. */
export interface ExperimentSource {
  readonly settings: TrainSettings;
  readonly policy: {
    /** Names the checkpoint in records. */
    readonly id: string;
    /** Beginning of the SHA-256 of its weights. */
    readonly revision: string;
    /** Where it is on the machine that exports, for the trainer; null where that is not a folder. */
    readonly folder: string | null;
    /** Most tokens of one context. */
    readonly maxContext: number;
    /** `vocab_size` of its config.json: ids are below. */
    readonly vocabulary: number;
    /** tokenizer.json, tokenizer_config.json and config.json, and what else of the kind it has. */
    readonly tokenizer: readonly NamedBytes[];
  };
  /** Folder of the world, null for the built-in one, which comes with Forage. */
  readonly world: Experiment['world'];
  /** Passages used instead of the world's local corpus, as files that `--corpus` reads; null: the world's. */
  readonly corpus: {
    readonly files: readonly NamedBytes[];
    readonly method: string;
    readonly encoder: string | null;
  } | null;
  /** A search engine in place of the world's web; null: the world's. */
  readonly engine: { readonly kind: string; readonly url: string } | null;
  /** `train` questions may be drawn, `dev` questions are held out; others are left out. */
  readonly questions: readonly (Question & { readonly split?: string | undefined })[];
  /** The run that is continued; null where the experiment begins. */
  readonly run: SourceRun | null;
  /** Version of Forage. */
  readonly version: string;
}

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface SourceRun {
  readonly id: string;
  /** Whole steps made. */
  readonly step: number;
  /** State of its curriculum, null before its first draw. */
  readonly curriculum: Json;
  /** PEFT folder of its last snapshot. */
  readonly adapter: readonly AdapterFile[];
}

export const TRAINERS = ['trl', 'verl'] as const;
/** Who trains. */
export type Trainer = (typeof TRAINERS)[number];

/** `experiment.json` of a folder: read by the environment, the trainer and people. */
export interface ExperimentFile extends Omit<Experiment, 'policy' | 'questions' | 'run'> {
  readonly schema: 'forage.experiment/1';
  /** `environmentHash` of it: the server says the same. */
  readonly hash: string;
  /** Version of Forage that wrote it. */
  readonly forage: string;
  /** Parts that were left out of the settings. */
  readonly without: readonly OmittedPart[];
  readonly policy: Experiment['policy'] & { readonly folder: string | null };
  readonly questions: NonNullable<Experiment['questions']> & {
    readonly train: number;
    readonly heldOut: number;
  };
  /** PEFT folder that training continues with, and the SHA-256 of its weights. */
  readonly adapter: { readonly folder: string; readonly digest: string } | null;
  /** The run that is continued, and its steps so far. */
  readonly run: { readonly id: string; readonly step: number } | null;
  readonly trainer: {
    readonly name: Trainer;
    /** Packages and the versions that they are pinned to. */
    readonly versions: Readonly<Record<string, string>>;
    /** Number of the curriculum's draw that is the first row of the training set, and the rows. */
    readonly firstDraw: number;
    readonly rows: number;
    readonly arguments: Readonly<Record<string, Json>>;
    readonly notes: readonly Note[];
  };
}
