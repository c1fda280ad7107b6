import { useState } from 'react';
import type { EvaluationRecord } from '../../../lab/contract/records/evaluations.ts';
import { renameEvaluation } from './evaluate-actions.ts';

/**
 * State of a rename field. `text` is null while nothing is typed, so that renames elsewhere show at
 * once; `commit` saves the text unless it is blank.
 */
export const useRename = ({ id, name }: Pick<EvaluationRecord, 'id' | 'name'>) => {
  const [text, setText] = useState<string | null>(null);
  const commit = (): void => {
    const newName = text?.trim() ?? '';
    if (newName !== '' && newName !== name) void renameEvaluation(id, newName);
    setText(null);
  };
  return { text, setText, commit };
};
