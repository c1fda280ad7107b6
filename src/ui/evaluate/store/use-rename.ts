import { useState } from 'react';
import type { EvaluationRecord } from '../../../lab/contract/records/evaluations.ts';
import { renameEvaluation } from './evaluate-actions.ts';

/**
 * The field for an evaluation's name. `text` is null while nothing is written, so that a name that changes
 * elsewhere is seen at once; `commit` keeps what was written unless it is blank.
 */
export const useRename = ({ id, name }: Pick<EvaluationRecord, 'id' | 'name'>) => {
  const [text, setText] = useState<string | null>(null);
  const commit = (): void => {
    const wanted = text?.trim() ?? '';
    if (wanted !== '' && wanted !== name) void renameEvaluation(id, wanted);
    setText(null);
  };
  return { text, setText, commit };
};
