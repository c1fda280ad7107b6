import { create } from 'zustand';
import { z } from 'zod';
import { messageOf } from '../../../base/errors.ts';
import { readTrajectories } from '../../../formats/trajectories/read.ts';
import { TRAJECTORIES } from '../../../formats/trajectories/shape.ts';
import type { FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import type { GivenDemonstrations } from '../../../lab/contract/training.ts';
import { readDemonstrations, sizeOf } from '../../../learn/rl/demonstrations.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';
import { lab } from '../../lab/connection.ts';
import { reloadFiles } from '../../rollouts/store/browse-actions.ts';
import { fileById, useRollouts } from '../../rollouts/store/rollouts-store.ts';

/** The file of trajectories for the cold start of a new run, or for its stages that learn from stored ones. */

export interface Demonstrations {
  file: File | null;
  /** Id of the stored file on Rollouts, which can be read again after a reload; null: a file of the computer, or none. */
  stored: string | null;
  /** Trajectories in it, with those whose answer was right, or with its pairs; null until it is read or where it cannot be. */
  counts:
    | { of: 'rollouts'; all: number; right: number; given: GivenDemonstrations }
    | { of: 'stored'; all: number; pairs: number }
    | null;
  problem: string | null;
}

const NONE: Demonstrations = { file: null, stored: null, counts: null, problem: null };

/** Of the form of a new run. */
export const useDemonstrations = create<Demonstrations>()(() => NONE);

const KEY = 'forage.train-demonstrations';

const keptSchema = z.object({ stored: z.string().nullable(), name: z.string() });
type Kept = z.infer<typeof keptSchema>;

const keep = (kept: Kept | null): void => remember(KEY, kept ? JSON.stringify(kept) : '');

const kept = (): Kept | null => {
  try {
    return keptSchema.parse(JSON.parse(remembered(KEY) ?? ''));
  } catch {
    return null;
  }
};

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

/** Counts what is in the chosen file. */
const readChosen = async (file: File): Promise<void> => {
  let found: Pick<Demonstrations, 'counts' | 'problem'>;
  try {
    found = { counts: countsOf(await file.text()), problem: null };
  } catch (error) {
    found = { counts: null, problem: messageOf(error) };
  }
  // Another file may have been chosen meanwhile.
  if (useDemonstrations.getState().file === file) useDemonstrations.setState(found);
};

/** Takes a file, or none, and says what is in it. */
export const chooseDemonstrations = async (file: File | null): Promise<void> => {
  useDemonstrations.setState({ ...NONE, file });
  keep(file && { stored: null, name: file.name });
  if (file) await readChosen(file);
};

/** Says that the chosen file is stored under this id; nothing where another file was chosen meanwhile. */
export const demonstrationsStored = (file: File, stored: string): void => {
  if (useDemonstrations.getState().file !== file) return;
  useDemonstrations.setState({ stored });
  keep({ stored, name: file.name });
};

const deletedText = (name: string): string =>
  `“${name}” was deleted from Rollouts. Choose another file, or make demonstrations again.`;

/** Takes a stored file of Rollouts. */
export const chooseStored = async (stored: string, name: string): Promise<void> => {
  useDemonstrations.setState({ ...NONE, stored });
  keep({ stored, name });
  let found: File | null = null;
  let problem: string | null = null;
  try {
    const lines = await lab().rollouts.lines(stored);
    if (lines) found = new File([lines], name);
    else problem = deletedText(name);
  } catch (error) {
    problem = `“${name}” could not be read: ${messageOf(error)}. Choose it again, or another file.`;
  }
  // Another file may have been chosen meanwhile.
  if (useDemonstrations.getState().stored !== stored) return;
  useDemonstrations.setState(found ? { file: found } : { ...NONE, problem });
  if (found) await readChosen(found);
};

/** Whether a file of Rollouts can be demonstrations: its rollouts have the tokens of a model. */
export const holdsDemonstrations = ({ status, layouts, rollouts, lacks }: FileRecord): boolean =>
  status === 'ready' &&
  rollouts > 0 &&
  layouts['forage'] === rollouts &&
  (lacks?.tokens ?? 0) === 0;

/** Reads the file that was chosen last, also before a reload, or says why it cannot. */
export const openDemonstrations = async (): Promise<void> => {
  const last = kept();
  if (!last) return;
  const { stored, name } = last;
  const chosen = useDemonstrations.getState();
  if (stored === null) {
    if (chosen.file) return;
    // Said once: a file of the computer cannot be read again.
    keep(null);
    const problem = `“${name}” was chosen before and is not stored in this browser: choose it again. Files on Rollouts are remembered.`;
    return useDemonstrations.setState({ problem });
  }
  // It may have been deleted, or brought back, since it was read.
  await reloadFiles();
  if (useDemonstrations.getState() !== chosen) return;
  const { status, files } = useRollouts.getState();
  const gone = status === 'ready' && !fileById({ files }, stored);
  if (gone) useDemonstrations.setState({ ...NONE, problem: deletedText(name) });
  else if (chosen.stored !== stored || !chosen.counts) await chooseStored(stored, name);
};
