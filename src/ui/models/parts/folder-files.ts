import type { LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import { droppedEntries, filesBelow } from '../../kit/page/folder-entries.ts';

/** Files of a folder that was chosen or dropped, with their paths in it. */

/** A folder with more files cannot be that of a checkpoint. */
const MOST_FILES = 5000;

/** Files of a picker, by their paths in the folder. */
export const pickedFolder = (files: readonly File[]): LocalFile[] =>
  files.slice(0, MOST_FILES).map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** What was dropped. Has to be called while the event is handled. */
export const filesOfDrop = async (transfer: DataTransfer): Promise<LocalFile[]> => {
  const found: LocalFile[] = [];
  for (const entry of droppedEntries(transfer))
    for await (const file of filesBelow(entry)) {
      if (found.length >= MOST_FILES) return found;
      found.push(file);
    }
  return found;
};
