/** Storage of imported passages and questions, and what the page may ask of it. */
export { CollectionsDatabase } from './passages/database.ts';
export { type ItemKind } from '../../contract/records/collections.ts';
export {
  CollectionBusy,
  CollectionStorageFull,
  MemoryLineReached,
  OtherFile,
} from './passages/errors.ts';
export { CollectionsHost } from './host.ts';
export { MEMORY_LINE } from './passages/memory-line.ts';
export { importFiles, resumeImport } from './importing.ts';
export {
  type FileToImport,
  type ImportProgress,
  type ImportResult,
} from '../../contract/collections.ts';
export { ownLocks, webLocks, type CollectionLocks } from './locks.ts';
export type {
  CollectionsApi,
  FindOutcome,
  ImportOutcome,
  MergeOutcome,
  PreviewOutcome,
  StopReason,
} from '../../contract/collections.ts';
export type {
  CollectionRecord,
  ImportChoice,
  ImportRecord,
  Origin,
} from '../../contract/records/collections.ts';
export { CollectionStore, openCollections } from './store.ts';
export { type CollectionView, type Item } from '../../contract/collections.ts';
