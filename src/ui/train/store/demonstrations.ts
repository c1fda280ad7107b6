import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import { readTrajectories } from '../../../formats/trajectories/read.ts';
import { TRAJECTORIES } from '../../../formats/trajectories/shape.ts';
import type { GivenDemonstrations } from '../../../lab/contract/training.ts';
import { readDemonstrations, sizeOf } from '../../../learn/rl/demonstrations.ts';

/** The file of trajectories for the cold start of a new run, or for its stages that learn from stored ones. Not kept between visits: a file is not. */

export interface Demonstrations {
  file: File | null;
  /** Trajectories in it, with those whose answer was right, or with its pairs; null until it is read or where it cannot be. */
  counts:
    | { of: 'rollouts'; all: number; right: number; given: GivenDemonstrations }
    | { of: 'stored'; all: number; pairs: number }
    | null;
  problem: string | null;
}

const NONE: Demonstrations = { file: null, counts: null, problem: null };

/** Of the form of a new run. */
export const useDemonstrations = create<Demonstrations>()(() => NONE);

/** Which tokens the policy has is checked when the run starts: the page does not hold the policy. */
const countsOf = (text: string): Demonstrations['counts'] => {
  // The format is in the first line.
  if (text.slice(0, 400).includes(TRAJECTORIES)) {
    const { trajectories, pairs } = readTrajectories(text);
    return { of: 'stored', all: trajectories.length, pairs: pairs.length };
  }
  const rollouts = readDemonstrations(text, Infinity);
  return {
    of: 'rollouts',
    all: rollouts.length,
    right: rollouts.filter(({ metrics }) => metrics?.em === 1).length,
    given: sizeOf(rollouts),
  };
};

/** Takes a file, or none, and says what is in it. */
export const chooseDemonstrations = async (file: File | null): Promise<void> => {
  useDemonstrations.setState({ ...NONE, file });
  if (!file) return;
  let found: Pick<Demonstrations, 'counts' | 'problem'>;
  try {
    found = { counts: countsOf(await file.text()), problem: null };
  } catch (error) {
    found = { counts: null, problem: messageOf(error) };
  }
  // Another file may have been chosen meanwhile.
  if (useDemonstrations.getState().file === file) useDemonstrations.setState(found);
};
