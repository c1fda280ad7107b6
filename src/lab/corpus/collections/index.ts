/** Storage of imported passages and questions, and what the page may ask of it. */
export { CollectionsDatabase, type ItemKind } from './database.ts';
export { CollectionBusy, CollectionStorageFull, MemoryLineReached, OtherFile } from './errors.ts';
export { CollectionsHost } from './host.ts';
export { MEMORY_LINE } from './passages/memory-line.ts';
export {
  importFiles,
  resumeImport,
  type FileToImport,
  type ImportProgress,
  type ImportResult,
} from './importing.ts';
export { ownLocks, webLocks, type CollectionLocks } from './locks.ts';
export type {
  CollectionsApi,
  FindOutcome,
  ImportOutcome,
  MergeOutcome,
  PreviewOutcome,
  StopReason,
} from './messages.ts';
export type { CollectionRecord, ImportChoice, ImportRecord, Origin } from './records.ts';
export { CollectionStore, openCollections, type CollectionView, type Item } from './store.ts';
