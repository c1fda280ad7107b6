import { z } from 'zod';
import { messageOf } from '../../../base/errors.ts';
import { readTrajectories } from '../../../formats/trajectories/read.ts';
import { TRAJECTORIES } from '../../../formats/trajectories/shape.ts';
import type { FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import { readDemonstrations, sizeOf } from '../../../learn/rl/demonstrations.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';
import { lab } from '../../lab/connection.ts';
import { reloadFiles } from '../../rollouts/store/browse-actions.ts';
import { fileById, useRollouts } from '../../rollouts/store/rollouts-store.ts';
import { NO_DEMONSTRATIONS, useTrainForm, type DemonstrationsFile } from './train-draft.ts';

/** Choosing the file of trajectories of a new run. */

const chosenNow = (): DemonstrationsFile => useTrainForm.getState().demonstrations;

const change = (part: Partial<DemonstrationsFile>): void =>
  useTrainForm.setState(({ demonstrations }) => ({
    demonstrations: { ...demonstrations, ...part },
  }));

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
const countsOf = (text: string): DemonstrationsFile['counts'] => {
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
  let found: Pick<DemonstrationsFile, 'counts' | 'problem'>;
  try {
    found = { counts: countsOf(await file.text()), problem: null };
  } catch (error) {
    found = { counts: null, problem: messageOf(error) };
  }
  // Another file may have been chosen meanwhile.
  if (chosenNow().file === file) change(found);
};

/** Takes a file, or none, and says what is in it. */
export const chooseDemonstrations = async (file: File | null): Promise<void> => {
  change({ ...NO_DEMONSTRATIONS, file });
  keep(file && { stored: null, name: file.name });
  if (file) await readChosen(file);
};

/** Says that the chosen file is stored under this id; nothing where another file was chosen meanwhile. */
export const demonstrationsStored = (file: File, stored: string): void => {
  if (chosenNow().file !== file) return;
  change({ stored });
  keep({ stored, name: file.name });
};

const deletedText = (name: string): string =>
  `“${name}” was deleted from Rollouts. Choose another file, or make demonstrations again.`;

/** Takes a stored file of Rollouts. */
export const chooseStored = async (stored: string, name: string): Promise<void> => {
  change({ ...NO_DEMONSTRATIONS, stored });
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
  if (chosenNow().stored !== stored) return;
  change(found ? { file: found } : { ...NO_DEMONSTRATIONS, problem });
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
  const chosen = chosenNow();
  if (stored === null) {
    if (chosen.file) return;
    // Said once: a file of the computer cannot be read again.
    keep(null);
    const problem = `“${name}” was chosen before and is not stored in this browser: choose it again. Files on Rollouts are remembered.`;
    return change({ problem });
  }
  // It may have been deleted, or brought back, since it was read.
  await reloadFiles();
  if (chosenNow() !== chosen) return;
  const { status, files } = useRollouts.getState();
  const gone = status === 'ready' && !fileById({ files }, stored);
  if (gone) change({ ...NO_DEMONSTRATIONS, problem: deletedText(name) });
  else if (chosen.stored !== stored || !chosen.counts) await chooseStored(stored, name);
};
