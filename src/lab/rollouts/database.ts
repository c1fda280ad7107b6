import { Dexie, type EntityTable, type Table } from 'dexie';
import type { LintCode } from '../../evaluate/inspect/lint/finding.ts';
import type { Statistics } from '../../evaluate/inspect/statistics.ts';
import type { RolloutRow } from '../../evaluate/inspect/row.ts';
import type { RolloutLayout } from '../../formats/rollouts/shape/imported.ts';
import type { GroupField } from './names.ts';

/** Imported rollout files: a small record each, rows for tables, and the rollouts themselves, gzipped. */

interface FileFault {
  /** Where the record has several files. */
  file?: string;
  /** 0: the whole file. */
  line: number;
  reason: string;
}

/** An imported file, or the files of a run that were imported together. */
export interface FileRecord {
  id: string;
  name: string;
  /** How many files it was made of; absent: one. */
  files?: number;
  /** Size of them, and how much of it was read. */
  bytes: number;
  readBytes: number;
  importedAt: string;
  /** `interrupted`: the page was closed meanwhile; what was read until then is there. */
  status: 'importing' | 'ready' | 'interrupted';
  layouts: Partial<Record<RolloutLayout, number>>;
  rollouts: number;
  /** Lines that could not be read: how many, and the first ones. */
  faultCount: number;
  faults: FileFault[];
  /** Once the whole file was read. */
  statistics: Statistics | null;
  lint: Partial<Record<LintCode, number>>;
  deletedAt: string | null;
}

/** A row of the table, and where its rollout lies. */
export interface StoredRow {
  chunk: number;
  index: number;
  line: number;
  row: RolloutRow;
}

/** Rows and bodies lie in chunks: a table of 10,000 rows is some dozens of reads. */
export interface RowChunk {
  fileId: string;
  chunk: number;
  rows: StoredRow[];
}

export interface BodyChunk {
  fileId: string;
  chunk: number;
  /** Gzipped JSON lines, in the order of the rows. */
  gz: Uint8Array;
}

/** What the reader noted on a rollout; it outlives a new import of the file under the same name. */
export interface Mark {
  /** The file's name and the rollout's id. */
  file: string;
  rollout: string;
  bookmarked: boolean;
  tags: string[];
  note: string;
}

/** A filter, columns, an order and groups under a name. */
export interface SavedView {
  name: string;
  filter: string;
  columns: string[];
  sort: { column: string; descending: boolean } | null;
  /** Outermost first; absent in views that were saved without. */
  group?: GroupField[];
}

export class InspectionDatabase extends Dexie {
  files!: EntityTable<FileRecord, 'id'>;
  rows!: Table<RowChunk, [string, number]>;
  bodies!: Table<BodyChunk, [string, number]>;
  marks!: Table<Mark, [string, string]>;
  views!: EntityTable<SavedView, 'name'>;

  constructor(name = 'forage-inspection', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    super(name, options);
    this.version(1).stores({
      files: 'id',
      rows: '[fileId+chunk], fileId',
      bodies: '[fileId+chunk], fileId',
      marks: '[file+rollout], file',
      views: 'name',
    });
  }
}
