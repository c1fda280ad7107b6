/** Reads questions and passages in the formats of the field into the project's own records. */
export { importAll, previewImport, type Imported, type Preview } from './collect.ts';
export { detect, formatOf } from './readers/detect.ts';
export { hashText, passageHash, questionHash } from './values/hash.ts';
export { freeId, KnownItems } from './values/known.ts';
export { readImport } from './read.ts';
export { splitSentences } from './values/sentences.ts';
export {
  CHUNKING_DEFAULTS,
  ImportError,
  type ChunkingOptions,
  type Container,
  type Duplicate,
  type Format,
  type ImportBatch,
  type ImportedPassage,
  type ImportedQuestion,
  type ImportOptions,
  type ImportProgress,
  type Rejection,
  type ResumePosition,
  type Schema,
} from './values/types.ts';
