import { isOwnRollout } from '../../../formats/rollouts/shape/imported.ts';
import { evaluationFileId, evaluationOfFile } from '../../../lab/rollouts/own-runs.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { formatEvaluateAddress } from '../../evaluate/store/evaluate-address.ts';
import { lab } from '../../lab/connection.ts';
import { readerPath } from '../../rollouts/store/browse-address.ts';
import type { RecordPlace } from '../store/permalink.ts';

/** Rollouts that are read elsewhere, by the file of this browser or the evaluation that holds them. */

export const placeInEvaluation = (evaluation: string, rollout: string): RecordPlace => ({
  file: evaluationFileId(evaluation),
  rollout,
});

/** Where it is read. */
export const pathOf = ({ file, rollout }: RecordPlace): string => {
  const evaluation = evaluationOfFile(file);
  return evaluation === null
    ? readerPath(file, rollout)
    : formatEvaluateAddress(evaluation, { view: 'questions' });
};

/** @returns null where it is not in this browser, or is no record of ours */
export async function readRecord({ file, rollout }: RecordPlace): Promise<Rollout | null> {
  const { evaluations, rollouts } = lab();
  // An evaluation keeps its own; the file that the reader makes of it may be gone.
  if (evaluationOfFile(file) !== null) return evaluations.rollout(rollout);
  const found = await rollouts.find(file, rollout);
  const read = found && (await rollouts.rollout(file, found));
  return read && isOwnRollout(read) ? read : null;
}
