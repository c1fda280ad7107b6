/** Storage of imported rollout files, and what the page may ask of it. */
export {
  InspectionDatabase,
  type FileFault,
  type FileRecord,
  type Mark,
  type SavedView,
  type StoredRow,
} from './database.ts';
export { InspectionHost } from './host.ts';
export { type ImportOptions, type ImportProgress } from './import-file.ts';
export { type ImportOutcome, type InspectionApi, type Selection } from './messages.ts';
export { InspectionStore, type RolloutPlace } from './store.ts';
