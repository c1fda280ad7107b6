import type { Json } from '../../../learn/rl/contracts.ts';
import type { ExperimentFile } from './experiment.ts';
import type { FolderFile } from './folder.ts';
import type { Mapping, MappingInput } from '../mapping/mapping.ts';
import type { QuestionLine, TrainRow } from './questions.ts';

/** Contents of one trainer's folder besides those that all have. */
export interface TrainerExport {
  /** Its arguments, as values of JSON. */
  map(input: MappingInput): Mapping<Readonly<Record<string, Json>>>;
  /** Files that are copied as they are, below `src/handover/files`; one is `requirements.txt`. */
  readonly sources: readonly string[];
  /** Files that are made of the experiment, `README.md` among them. */
  files(parts: TrainerParts): Promise<readonly FolderFile[]> | readonly FolderFile[];
}

interface TrainerParts {
  readonly file: ExperimentFile;
  readonly questions: readonly QuestionLine[];
  /** The training set. */
  readonly rows: readonly TrainRow[];
}
