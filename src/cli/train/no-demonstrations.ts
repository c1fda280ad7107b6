import { NoDemonstrations } from '../../learn/curriculum/own-demonstrations.ts';

/** What to do where a warm-up on the run's own rollouts finds none that is right. */

/** In options of `lab train`. */
export const BY_OPTION =
  'Leave the warm-up out with --set warmUp=null, sample more rollouts for it with --set warmUp.own.rollouts=N, ' +
  'or give it trajectories with --demonstrations FILE.jsonl --set warmUp.own=null.';

/** In fields of a study's arm. */
export const BY_ARM =
  'Leave the warm-up out of its arm with "training": { "warmUp": null }, or give it trajectories with ' +
  '"demonstrations" and "training": { "warmUp": { "own": null } }.';

/** @throws what the training throws, with the remedy where a warm-up has nothing to learn from */
export async function withRemedy<T>(training: Promise<T>, remedy: string): Promise<T> {
  try {
    return await training;
  } catch (error) {
    if (!(error instanceof NoDemonstrations)) throw error;
    throw new Error(`${error.message}. ${remedy}`, { cause: error });
  }
}
