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

/** Custom systems: stored here, shared as JSON. */

/** Reloads the list after every change, even a failed one, so that the page shows what is stored. */
export const readCustoms = async (): Promise<void> => {
  const customs = await attempt('Your own systems could not be read', () =>
    evaluationsApi().customs(),
  );
  if (customs) useEvaluate.setState({ customs });
};

/** @returns the error in one line; null on success */
export const saveCustom = async (system: CustomSystem): Promise<string | null> => {
  // Not through `attempt`: the editor shows the error next to its fields.
  try {
    await evaluationsApi().saveCustom(parseCustomSystem(system));
  } catch (error) {
    return messageOf(error);
  }
  await readCustoms();
  return null;
};

/** Removes without confirmation; `restoreCustom` undoes it. */
export const removeCustom = async (system: CustomSystem): Promise<void> => {
  await attempt(`“${system.title}” was not deleted`, async () => {
    await evaluationsApi().removeCustom(system.id);
    useEvaluate.setState(({ removedSystems }) => ({ removedSystems: [...removedSystems, system] }));
  });
  await readCustoms();
};

/** Saves a removed system again; on failure it stays restorable. */
export const restoreCustom = async (id: string): Promise<void> => {
  const system = useEvaluate.getState().removedSystems.find((one) => one.id === id);
  if (!system || (await saveCustom(system)) !== null) return;
  useEvaluate.setState(({ removedSystems }) => ({
    removedSystems: removedSystems.filter((one) => one.id !== id),
  }));
};

/** Exports `ID.system.json`, which `importCustoms` reads in any browser. */
export const downloadCustom = (system: CustomSystem): void =>
  saveFile(
    `${fileStem(system.id)}.system.json`,
    new Blob([writeCustomSystem(system)], { type: 'application/json' }),
  );

/**
 * Imports systems from files and saves them with the others; the page reports invalid ones.
 * @returns the imported ones
 */
export const importCustoms = async (files: readonly File[]): Promise<CustomSystem[]> => {
  dismissProblem();
  const imported: CustomSystem[] = [];
  // In sequence: of two files with one id the second must get a new id.
  for (const file of files) {
    const made = await attempt(`${file.name} was not imported`, async () => {
      // From the lab, not the store, because another tab may have saved some.
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
