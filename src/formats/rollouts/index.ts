/** Rollout files of every known system, in and out. */
export { importRollouts, ImportError, type ImportItem } from './import.ts';
export { importRun, type RunFile, type RunItem } from './run.ts';
export { areSteps, inStepOrder, isRolloutName, runName } from './shape/names.ts';
export {
  answerText,
  fullText,
  goldsToScore,
  isOwnRollout,
  LAYOUTS,
  type ImportedRole,
  type ImportedRollout,
  type ImportedSegment,
  type RolloutLayout,
  type RolloutOrigin,
  type TokenColumns,
  type TokenValues,
  VALUE_COLUMNS,
} from './shape/imported.ts';
export { PROTOCOLS, protocolById } from './protocols/catalogue.ts';
export type { BlockRule, Protocol } from './protocols/protocol.ts';
export { recogniseProtocol } from './protocols/recognise.ts';
export { blockText, splitText, type Piece } from './protocols/split.ts';
export { readAnswer, whyUnread } from './protocols/answer.ts';
export { boxesIn } from './protocols/boxes.ts';
export { promptAndResponse, writeRollout, type TokenTexts, type WrittenLayout } from './write.ts';
export {
  passagesIn,
  protocolOf,
  roundsOf,
  type ReadPassage,
  type Round,
  type TextSpan,
} from './rounds.ts';
export { isImportedRollout } from './shape/schema.ts';
