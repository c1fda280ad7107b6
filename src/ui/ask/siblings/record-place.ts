import { evaluationFileId, evaluationOfFile } from '../../../lab/rollouts/own-runs.ts';
import { formatEvaluateAddress } from '../../evaluate/store/evaluate-address.ts';
import { readerPath } from '../../rollouts/store/browse-address.ts';
import type { RecordPlace } from '../store/permalink.ts';

/** Where a rollout of the reader is stored: a file of this browser, or an evaluation. */

/** The place of an evaluation’s rollout: the file made from its rollouts, whether or not that exists yet. */
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
