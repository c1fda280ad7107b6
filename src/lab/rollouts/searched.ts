import type { FileRecord } from '../contract/records/rollout-files.ts';
import {
  evaluationFileId,
  ownEvaluationsOf,
  runFileId,
  withoutFile,
  type EvaluationSource,
  type RunSource,
} from './own-runs.ts';
import type { Searched } from './search-all.ts';

/** All that is stored with rollouts, each once: what a file was made of is looked for in the file. */
export async function searchedOf(
  store: { parts: Searched['parts'] },
  files: readonly FileRecord[],
  runs: RunSource | null,
  evaluations: EvaluationSource | null,
  signal: AbortSignal,
): Promise<Searched> {
  return {
    files,
    parts: (fileId) => store.parts(fileId),
    runs: withoutFile((await runs?.runs()) ?? [], runFileId, files),
    steps: (id) => runs?.steps(id, signal) ?? [],
    evaluations: withoutFile(await ownEvaluationsOf(evaluations), evaluationFileId, files),
    made: (id) => evaluations?.parts(id, signal) ?? [],
  };
}
