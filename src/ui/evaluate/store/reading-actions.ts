import { filePath, readerPath } from '../../rollouts/store/browse-address.ts';
import { lab } from '../../lab/connection.ts';
import { attempt } from './evaluate-actions.ts';

/** Rollouts of an evaluation in the reader and in the table of rollouts. */

/** Id of the file of rollouts that an evaluation becomes; the lab's import gives the same. */
const fileOf = (evaluation: string): string => `evaluation-${evaluation}`;

/** Reads the rollouts of an evaluation as a file. @throws Error */
const importAll = async (evaluation: string): Promise<string> => {
  const outcome = await lab().rollouts.importEvaluation(
    `read ${fileOf(evaluation)}`,
    evaluation,
    () => undefined,
  );
  if (outcome.status === 'ready') return outcome.file.id;
  throw new Error(outcome.status === 'failed' ? outcome.message : 'it was stopped');
};

/** Opens one in the reader; the others of the evaluation are its neighbours there. */
export const openEvaluationRollout = (
  evaluation: string,
  rollout: string,
  go: (path: string) => void,
): Promise<unknown> =>
  attempt('The rollout could not be opened', async () => {
    // Made when the file was read last: rollouts since then need it read again.
    const known = await lab().rollouts.find(fileOf(evaluation), rollout);
    go(readerPath(known ? fileOf(evaluation) : await importAll(evaluation), rollout));
  });

/** Opens all in the table of rollouts, with filter, statistics and findings; read again. */
export const openEvaluationFile = (
  evaluation: string,
  go: (path: string) => void,
): Promise<unknown> =>
  attempt('The rollouts could not be opened', async () =>
    go(filePath(await importAll(evaluation))),
  );
