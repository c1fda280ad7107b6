import { messageOf } from '../../../base/errors.ts';
import { type AskAddress, placeOf, type RecordPlace } from '../store/permalink.ts';
import { openLinkedStep, showLinked, useLinkedStep } from '../store/training-step.ts';
import { useView } from '../store/view-store.ts';
import { basisOf } from './basis.ts';
import { readRecord } from './record-place.ts';

const NOT_HERE =
  'This address shows a rollout that is not in this browser: its file or evaluation was deleted, or is in another browser.';

const openRecord = async (of: RecordPlace): Promise<void> => {
  useLinkedStep.setState({ reading: true, problem: null });
  const left = (): boolean => placeOf(useView.getState().address) !== placeOf({ of, asked: null });
  const end = (problem: string | null): void =>
    useLinkedStep.setState({ reading: false, problem: left() ? null : problem });
  try {
    const rollout = await readRecord(of);
    const basis = rollout && (await basisOf(of, rollout));
    if (!rollout || !basis) return end(NOT_HERE);
    if ('why' in basis)
      return end(`The rollout of this address cannot be gone on with: ${basis.why}.`);
    if (left()) return end(null);
    await showLinked([rollout], { place: of, ...basis });
  } catch (error) {
    end(`The rollout of this address could not be read: ${messageOf(error)}`);
  }
};

/** Shows the rollouts that an address names, where they were not asked for here. Never rejects. */
export const openLinked = (of: NonNullable<AskAddress['of']>): Promise<void> =>
  'file' in of ? openRecord(of) : openLinkedStep(of);
