import { messageOf } from '../../../base/errors.ts';
import { isOwnRollout } from '../../../formats/rollouts/shape/imported.ts';
import { evaluationOfFile } from '../../../lab/rollouts/own-runs.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { lab } from '../../lab/connection.ts';
import { placeOf, type RecordPlace } from '../store/permalink.ts';
import { showLinked, setLinkedStep } from '../store/training-step.ts';
import { useAsk } from '../store/ask-store.ts';
import { basisOf } from './basis.ts';

const NOT_HERE =
  'The rollout in this link is not in this browser: its file or evaluation was deleted, or is in another browser.';

/** @returns null if it is not in this browser, or not a Forage record */
async function readRecord({ file, rollout }: RecordPlace): Promise<Rollout | null> {
  const { evaluations, rollouts } = lab();
  // An evaluation stores its own rollouts; the reader's file of it may be gone.
  if (evaluationOfFile(file) !== null) return evaluations.rollout(rollout);
  const found = await rollouts.find(file, rollout);
  const read = found && (await rollouts.rollout(file, found));
  return read && isOwnRollout(read) ? read : null;
}

/** Shows the rollout of a file or evaluation that the address names. Never rejects. */
export const openRecord = async (of: RecordPlace): Promise<void> => {
  setLinkedStep(true);
  const left = (): boolean => placeOf(useAsk.getState().address) !== placeOf({ of, asked: null });
  const end = (problem: string | null): void => setLinkedStep(false, left() ? null : problem);
  try {
    const rollout = await readRecord(of);
    const basis = rollout && (await basisOf(of, rollout));
    if (!rollout || !basis) return end(NOT_HERE);
    if ('why' in basis) return end(`The rollout in this link cannot be forked: ${basis.why}.`);
    if (left()) return end(null);
    await showLinked([rollout], { place: of, ...basis });
  } catch (error) {
    end(`The rollout in this link could not be read: ${messageOf(error)}`);
  }
};
