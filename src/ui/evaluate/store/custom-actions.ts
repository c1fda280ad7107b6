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

/** Systems of one's own: saved here, shared as JSON. */

export const readCustoms = async (): Promise<void> => {
  const customs = await attempt('Your own systems could not be read', () =>
    evaluationsApi().customs(),
  );
  if (customs) useEvaluate.setState({ customs });
};

/** @returns what is wrong with it, in a line; null where it was saved */
export const saveCustom = async (system: CustomSystem): Promise<string | null> => {
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

export const restoreCustom = async (id: string): Promise<void> => {
  const system = useEvaluate.getState().removedSystems.find((one) => one.id === id);
  if (!system || (await saveCustom(system)) !== null) return;
  useEvaluate.setState(({ removedSystems }) => ({
    removedSystems: removedSystems.filter((one) => one.id !== id),
  }));
};

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
  for (const file of files) {
    const made = await attempt(`${file.name} was not imported`, async () => {
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
