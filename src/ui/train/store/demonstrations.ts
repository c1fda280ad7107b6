import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import { readDemonstrations } from '../../../learn/rl/demonstrations.ts';

/** The file of trajectories for the warm-up of a new run. Not kept between visits: a file is not. */

export interface Demonstrations {
  file: File | null;
  /** Trajectories in it, and those whose answer was right; null until it is read or where it cannot be. */
  counts: { all: number; right: number } | null;
  problem: string | null;
}

const NONE: Demonstrations = { file: null, counts: null, problem: null };

export const useDemonstrations = create<Demonstrations>()(() => NONE);

/** Which tokens the policy has is checked when the run starts: the page does not hold the policy. */
const countsOf = (text: string): { all: number; right: number } => {
  const rollouts = readDemonstrations(text, Infinity);
  return {
    all: rollouts.length,
    right: rollouts.filter(({ metrics }) => metrics?.em === 1).length,
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
