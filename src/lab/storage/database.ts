import { type Dexie, type EntityTable, type Table } from 'dexie';
import { SiteDatabase } from './site-database.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import type { TrainStep } from '../../records/training.ts';
import type { RunRecord } from '../contract/records/runs.ts';

/** The records of runs. Blobs lie in the file system; records name them with size and hash. */

export interface BlobRef {
  path: string;
  bytes: number;
  /** SHA-256, hex. */
  hash: string;
}

export interface StoredSnapshot {
  step: number;
  /** `adapter`, `first` and `second`, safetensors. */
  tensors: BlobRef;
  /** The rest of the state, JSON. */
  rest: BlobRef;
  /** Its adapter is as it was initialised. */
  untrained?: true;
}

/** The adapter of a snapshot, kept after the snapshot itself is gone. */
export interface StoredAdapter {
  step: number;
  /** Whether held-out questions were asked with it. */
  scored: boolean;
  /** safetensors, float32: `adapter`. */
  adapter: BlobRef;
  /** The router's state, JSON; null where none is trained. */
  router: BlobRef | null;
}

/** What a run continues from: one record, replaced in one transaction. */
export interface PointerRow {
  runId: string;
  latest: StoredSnapshot;
  /** Kept until the next one is written, in case the latest turns out to be damaged. */
  previous: StoredSnapshot | null;
  /** By step. Absent in records that were stored before adapters were kept. */
  adapters?: readonly StoredAdapter[];
}

export interface StepRow {
  runId: string;
  step: number;
  record: TrainStep;
  /** The step's rollouts, gzipped JSON lines; null where they were deleted or never kept. */
  rollouts: BlobRef | null;
  /**
   * Rollouts of the held-out questions, likewise; before the first step (`step` 0) with those of step 1.
   * Absent in rows that were stored before they were kept.
   */
  heldOut?: BlobRef | null;
}

/** What a run is given before its first step. */
export interface DemonstrationsRow {
  runId: string;
  /** Trajectories that it learns from: gzipped JSON lines. */
  file?: BlobRef;
  /** The adapter that it starts from: safetensors with one flat tensor. */
  start?: BlobRef;
}

/** A probe of this device. */
export interface ProbeRow {
  /** All that it depends on (`probeKey`). */
  key: string;
  /** Model and device, as evaluations name it. */
  model: string;
  recipe: string;
  probe: Probe;
}

export class ForageDatabase extends SiteDatabase {
  runs!: EntityTable<RunRecord, 'id'>;
  steps!: Table<StepRow, [string, number]>;
  pointers!: EntityTable<PointerRow, 'runId'>;
  demonstrations!: EntityTable<DemonstrationsRow, 'runId'>;
  probes!: EntityTable<ProbeRow, 'key'>;

  constructor(name = 'forage', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    super(name, options);
    this.version(1).stores({
      runs: 'id, createdAt',
      steps: '[runId+step], runId',
      pointers: 'runId',
      demonstrations: 'runId',
    });
    this.version(2).stores({ probes: 'key, model' });
  }
}
