import type { LocalFile } from '../../../lab/contract/records/checkpoints.ts';
import { ggufOf } from '../../kit/use-file-drop.ts';
import { droppedEntries, filesBelow } from '../../kit/page/folder-entries.ts';

/** Files of a chosen or dropped folder, with relative paths. */

/** More files cannot be a checkpoint. */
const MOST_FILES = 5000;

/** Files of a picker, by relative path. */
export const pickedFolder = (files: readonly File[]): LocalFile[] =>
  files.slice(0, MOST_FILES).map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** Files of a picker or of a drop, without a folder. */
export const plainFiles = (files: readonly File[]): LocalFile[] =>
  files.map((file) => ({ path: file.name, file }));

/** Dropped files. Must be called during the event. */
export const filesOfDrop = async (transfer: DataTransfer): Promise<LocalFile[]> => {
  const ggufs = ggufOf(transfer);
  if (ggufs) return plainFiles(ggufs);
  const found: LocalFile[] = [];
  for (const entry of droppedEntries(transfer))
    for await (const file of filesBelow(entry)) {
      if (found.length >= MOST_FILES) return found;
      found.push(file);
    }
  return found;
};
