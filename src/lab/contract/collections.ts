import type {
  CollectionRecord,
  ImportChoice,
  ImportRecord,
  ItemKind,
  Origin,
} from './records/collections.ts';
import type { Passage } from '../../records/records.ts';
import type { ImportedQuestion, Rejection } from '../../formats/import/values/types.ts';
import type { Preview } from '../../formats/import/collect.ts';

/** What the page may ask of the storage of collections, which lives in the lab worker. */

/** Why an import stopped; errors lose their class on the way between workers, so they are values. */
export type StopReason =
  /** The file as a whole cannot be read. */
  | 'unreadable'
  /** The browser's storage is full. */
  | 'full'
  /** The import reached the bound on its memory. */
  | 'memory'
  /** Another tab writes the collection. */
  | 'busy'
  /** The file offered to continue with is another one. */
  | 'other-file';

export type ImportOutcome =
  | ({ status: 'ready' } & ImportResult)
  | { status: 'cancelled' }
  | { status: 'failed'; reason: StopReason; message: string };

export type PreviewOutcome =
  | { status: 'ready'; preview: Preview; sameFile: string[] }
  | { status: 'cancelled' }
  | { status: 'failed'; message: string };

export type MergeOutcome =
  | { status: 'ready'; collection: CollectionRecord }
  | { status: 'cancelled' }
  | { status: 'failed'; reason: StopReason; message: string };

export type FindOutcome = { status: 'ready'; places: number[] } | { status: 'cancelled' };

/** A collection as the page lists it. */
export interface CollectionView extends CollectionRecord {
  /** Imports of it that did not come to their end. */
  unfinished: ImportRecord[];
  /** Whether some tab writes it now. */
  busy: boolean;
}

export type Item = Passage | ImportedQuestion;

export interface FileToImport {
  file: Blob;
  name: string;
  origin: Origin;
  choice: ImportChoice;
}

export interface ImportProgress {
  collectionId: string;
  importId: string;
  /** Name of the file available, and which it is of how many. */
  name: string;
  file: number;
  files: number;
  /** Over all files. */
  readBytes: number;
  totalBytes: number;
  passages: number;
  questions: number;
  duplicates: number;
  rejected: number;
  /** What the import holds in memory, ≈. */
  heldBytes: number;
}

export interface ImportResult {
  collection: CollectionRecord;
  /** Files that could not be read at all, and why. */
  failed: { name: string; reason: string }[];
}

export interface CollectionsApi {
  /** Collections that are not deleted, the latest first. */
  list(): Promise<CollectionView[]>;
  /** What a file would give: its first items, what would be rejected, and where it was imported already. */
  preview(job: string, file: Blob, name: string, choice: ImportChoice): Promise<PreviewOutcome>;
  /** @param job name of the caller's, for `cancel`; @param into a collection, or the name of a new one */
  importFiles(
    job: string,
    into: { id: string } | { name: string },
    files: FileToImport[],
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  /** Continues an import with its file. */
  resumeImport(
    job: string,
    importId: string,
    file: Blob,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  /** Forgets the rest of an import that was broken off; what it imported stays. */
  dismissImport(importId: string): Promise<void>;
  merge(
    job: string,
    ids: string[],
    name: string,
    onProgress: (done: number, total: number) => void,
  ): Promise<MergeOutcome>;
  /** Stops a job; nothing where there is none of that name. */
  cancel(job: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** Removes deleted collections for good. @param before only those deleted before this time, ISO */
  purge(before?: string): Promise<void>;
  /** Items from a place on, at most `count`. */
  items(id: string, kind: ItemKind, from: number, count: number): Promise<Item[]>;
  /** Places of the items that hold every word. */
  find(job: string, id: string, kind: ItemKind, filter: string): Promise<FindOutcome>;
  /** All questions of collections, for a training run or an evaluation. */
  questions(ids: string[]): Promise<ImportedQuestion[]>;
  question(id: string, questionId: string): Promise<ImportedQuestion | null>;
  rejected(id: string): Promise<{ name: string; items: Rejection[] }[]>;
  /** JSON lines that Forage and FlashRAG read. */
  exportJsonl(id: string, kind: ItemKind): Promise<Blob>;
}
