import { evaluationFileId, evaluationOfFile } from '../../../lab/rollouts/own/own-runs.ts';
import { formatEvaluateAddress } from '../../evaluate/store/evaluate-address.ts';
import { readerPath } from '../../rollouts/store/browse-address.ts';
import type { RecordPlace } from '../store/permalink.ts';

/** Rollouts that are read elsewhere, by the file of this browser or the evaluation that holds them. */

/** The place of an evaluation’s rollout: in the file that its rollouts are read as, whether that was read or not. */
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
