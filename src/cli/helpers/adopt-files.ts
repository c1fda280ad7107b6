import { existsSync, openAsBlob, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { openArchive } from '../../handover/adopt/open-archive.ts';
import type { AdoptFile } from '../../handover/adopt/input/folder.ts';
import { UsageError } from '../shared/options.ts';

/** Limit on files: a nested folder may hold anything. */
const MOST_FILES = 20_000;

function* pathsBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pathsBelow(path);
    else if (statSync(path, { throwIfNoEntry: false })?.isFile()) yield path;
  }
}

/**
 * The files of a folder, or of an archive of one; nothing is read before it is asked for.
 * @throws UsageError where there is nothing, or nothing of the kind; AdoptError for a damaged archive
 */
export async function adoptFiles(given: string): Promise<AdoptFile[]> {
  const path = resolve(given);
  if (!existsSync(path)) throw new UsageError(`${given} is missing.`);
  if (statSync(path).isFile()) {
    const files = await openArchive(basename(path), await openAsBlob(path));
    if (!files)
      throw new UsageError(`${given} is neither a folder nor a tar, tar.gz or zip archive of one.`);
    return files;
  }
  const files: AdoptFile[] = [];
  for (const found of pathsBelow(path)) {
    if (files.length === MOST_FILES)
      throw new UsageError(
        `${given} has more than ${MOST_FILES} files; name the exported folder in it.`,
      );
    const name = relative(path, found).split(sep).join('/');
    files.push({ path: name, blob: await openAsBlob(found) });
  }
  return files;
}
