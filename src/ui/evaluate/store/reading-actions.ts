import { filePath, readerPath } from '../../rollouts/store/browse-address.ts';
import { lab } from '../../lab/connection.ts';
import { attempt } from './evaluate-actions.ts';

/** Opens rollouts of an evaluation in the reader or the table. */

/** File id of an evaluation's rollouts; the lab's import uses the same. */
const fileOf = (evaluation: string): string => `evaluation-${evaluation}`;

/**
 * Imports the rollouts of an evaluation as a file.
 * @throws Error
 */
const importAll = async (evaluation: string): Promise<string> => {
  const outcome = await lab().rollouts.importEvaluation(
    `read ${fileOf(evaluation)}`,
    evaluation,
    () => undefined,
  );
  if (outcome.status === 'ready') return outcome.file.id;
  throw new Error(outcome.status === 'failed' ? outcome.message : 'it was stopped');
};

/** Opens one in the reader, with the others as neighbours. */
export const openEvaluationRollout = (
  evaluation: string,
  rollout: string,
  go: (path: string) => void,
): Promise<unknown> =>
  attempt('The rollout could not be opened', async () => {
    // Imported earlier: newer rollouts need another import.
    const known = await lab().rollouts.find(fileOf(evaluation), rollout);
    go(readerPath(known ? fileOf(evaluation) : await importAll(evaluation), rollout));
  });

/** Opens all in the rollout table, imported again. */
export const openEvaluationFile = (
  evaluation: string,
  go: (path: string) => void,
): Promise<unknown> =>
  attempt('The rollouts could not be opened', async () =>
    go(filePath(await importAll(evaluation))),
  );
