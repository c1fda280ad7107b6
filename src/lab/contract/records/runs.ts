import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { StoreType } from '../../../policy/ops/values.ts';
import type { ColdStartPoint } from '../../../records/training.ts';
import type { Setup } from '../../../records/setup.ts';
import type { QuestionSplit } from '../../corpus/retrieval/split.ts';
import type { SweepAxis } from '../../../evaluate/sweep/axes.ts';
import type { Failure } from './failure.ts';

/** What is stored of a training run beside its steps and checkpoints. */

export type RunStatus = 'running' | 'paused' | 'stopped' | 'finished' | 'failed';

/** The sweep that a run is a cell of; every cell knows the whole grid. */
export interface RunSweep {
  id: string;
  name: string;
  axes: readonly SweepAxis[];
  /** Row and column, as `evaluate/sweep/cells.ts` has them. */
  place: readonly [row: number, column: number];
}

/** A training run as it is stored. */
export interface RunRecord {
  format: 'forage.run/6';
  id: string;
  name: string;
  tags: string[];
  notes: string;
  createdAt: string;
  updatedAt: string;
  status: RunStatus;
  settings: TrainSettings;
  policy: { id: string; revision: string };
  /** Policy, sources and questions that it trains with; absent for the built-in ones. */
  setup?: Setup;
  world: {
    seed: number;
    questions: number;
    /** How imported questions were split; absent for those of a world. */
    split?: QuestionSplit;
  };
  device: 'wasm' | 'webgpu';
  /** What keys and values are held in, of sampler and trainer alike, as long as it runs; absent: float32. */
  keys?: StoreType;
  /** Steps done, and the step of the last committed snapshot. */
  step: number;
  checkpointStep: number | null;
  /** The adapter of the last snapshot is as it was initialised: no step had a gradient so far. */
  untrained?: true;
  failure: Failure | null;
  /** Steps up to this one were made before the run was imported, maybe on another machine. */
  importedStep?: number;
  /** Absent of a run that stands for itself. */
  sweep?: RunSweep;
  /** The last thing that the user should know: an interruption, a snapshot that was skipped. */
  notice: string | null;
  /** The run and step whose adapter it started from; absent: a new adapter. */
  startedFrom?: { run: string; step: number; name: string };
  /** What was said of what it made before its first step: a warm-up, a start. Absent where nothing was. */
  before?: readonly string[];
  /** Evaluations of its cold start so far; absent where none were made. */
  coldStart?: readonly ColdStartPoint[];
  /** Set while it can still be brought back. */
  deletedAt: string | null;
}
