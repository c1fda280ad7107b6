import {
  besideOthers,
  parseCustomSystem,
  readCustomSystem,
  writeCustomSystem,
  type CustomSystem,
} from '../../../evaluate/systems/custom.ts';
import { messageOf } from '../../../base/errors.ts';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { attempt, dismissProblem, evaluationsApi } from './evaluate-actions.ts';
import { useEvaluate } from './evaluate-store.ts';

/** Systems of your own: saved here, shared as JSON. */

/** Reads the list again: after every change, also one that failed, so that what is shown is what is stored. */
export const readCustoms = async (): Promise<void> => {
  const customs = await attempt('Your own systems could not be read', () =>
    evaluationsApi().customs(),
  );
  if (customs) useEvaluate.setState({ customs });
};

/** @returns what is wrong with it, in a line; null where it was saved */
export const saveCustom = async (system: CustomSystem): Promise<string | null> => {
  // Not through `attempt`: the editor shows what is wrong beside the fields that it is about.
  try {
    await evaluationsApi().saveCustom(parseCustomSystem(system));
  } catch (error) {
    return messageOf(error);
  }
  await readCustoms();
  return null;
};

/** Removes without asking; `restoreCustom` undoes it. */
export const removeCustom = async (system: CustomSystem): Promise<void> => {
  await attempt(`“${system.title}” was not deleted`, async () => {
    await evaluationsApi().removeCustom(system.id);
    useEvaluate.setState(({ removedSystems }) => ({ removedSystems: [...removedSystems, system] }));
  });
  await readCustoms();
};

/** Saves a system again that `removeCustom` took away; where that fails it stays in the list of those to bring back. */
export const restoreCustom = async (id: string): Promise<void> => {
  const system = useEvaluate.getState().removedSystems.find((one) => one.id === id);
  if (!system || (await saveCustom(system)) !== null) return;
  useEvaluate.setState(({ removedSystems }) => ({
    removedSystems: removedSystems.filter((one) => one.id !== id),
  }));
};

/** Hands out `ID.system.json`, which `importCustoms` reads here or in another browser. */
export const downloadCustom = (system: CustomSystem): void =>
  saveFile(
    `${fileStem(system.id)}.system.json`,
    new Blob([writeCustomSystem(system)], { type: 'application/json' }),
  );

/**
 * Reads systems from files and saves them beside those that are there; of one that cannot be used the page says why.
 * @returns those that were imported
 */
export const importCustoms = async (files: readonly File[]): Promise<CustomSystem[]> => {
  dismissProblem();
  const imported: CustomSystem[] = [];
  // One after another: of two files with one id the second has to see the first to get an id of its own.
  for (const file of files) {
    const made = await attempt(`${file.name} was not imported`, async () => {
      // Asked of the lab, not taken from the store: another tab may have saved some.
      const own = await evaluationsApi().customs();
      const system = besideOthers(readCustomSystem(await file.text()), own);
      await evaluationsApi().saveCustom(system);
      return system;
    });
    if (made !== null) imported.push(made);
  }
  await readCustoms();
  return imported;
};
