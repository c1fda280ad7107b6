/** Storage of imported rollout files, and what the page may ask of it. */
export {
  facetsOf,
  selected,
  type BrowseGroup,
  type BrowseQuery,
  type Facet,
  type Selected,
} from './browse.ts';
export { COLUMN_NAMES, columnReader, type Cell } from './columns.ts';
export {
  InspectionDatabase,
  type FileFault,
  type FileRecord,
  type Mark,
  type SavedView,
  type StoredRow,
} from './database.ts';
export { EXPORT_FORMATS, tableText, type ExportFormat } from './export.ts';
export { InspectionHost } from './host.ts';
export { type ImportOptions, type ImportProgress } from './import-file.ts';
export {
  type Browsed,
  type ComparedRuns,
  type FilterFault,
  type FoundRow,
  type ImportOutcome,
  type InspectionApi,
  type OwnRun,
  type Selection,
} from './messages.ts';
export { ownRunsOf, runFileId, type RunSource } from './own-runs.ts';
export { BOOKMARK, GROUP_FIELDS, type GroupField } from './names.ts';
export { type NoScore } from './no-score.ts';
export { packReading, unpackReading, type PackedReading } from './packed.ts';
export { type Neighbour, type Reading, type RolloutFile } from './reading.ts';
export { InspectionStore, type RolloutPlace } from './store.ts';
