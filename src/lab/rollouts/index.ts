/** Storage of imported rollout files, and what the page may ask of it. */
export { facetsOf, selected } from './browse.ts';
export {
  type BrowseGroup,
  type BrowseQuery,
  type Facet,
  type Selected,
} from '../contract/rollouts.ts';
export { COLUMN_NAMES, columnReader, type Cell } from './columns.ts';
export { InspectionDatabase } from './database.ts';
export {
  type FileFault,
  type FileRecord,
  type Mark,
  type SavedView,
  type StoredRow,
} from '../contract/records/rollout-files.ts';
export { EXPORT_FORMATS, type ExportFormat } from '../contract/rollouts.ts';
export { tableText } from './export.ts';
export { InspectionHost } from './host.ts';
export { type ImportOptions } from './import-file.ts';
export { type ImportProgress } from '../contract/rollouts.ts';
export {
  type Browsed,
  type ComparedRuns,
  type FilterFault,
  type FoundRow,
  type ImportOutcome,
  type InspectionApi,
  type OwnRun,
  type Selection,
} from '../contract/rollouts.ts';
export { ownRunsOf, runFileId, type RunSource } from './own-runs.ts';
export { BOOKMARK, GROUP_FIELDS, type GroupField } from '../contract/records/rollout-files.ts';
export { type NoScore } from '../contract/rollouts.ts';
export { packReading, unpackReading } from './packed.ts';
export { type PackedReading } from '../contract/rollouts.ts';
export { type Neighbour, type Reading, type RolloutFile } from '../contract/rollouts.ts';
export { InspectionStore } from './store.ts';
export { type RolloutPlace } from '../contract/records/rollout-files.ts';
