import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { storageFault } from '../../base/storage-faults.ts';
import { UsageError } from './options.ts';

/** Faults of the file system, with the path that they are of. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a file has this name',
};

/** For a path that the user gave. */
export function pathFault(path: string, what: 'made' | 'written', error: unknown): UsageError {
  if (storageFault(error)) return new UsageError(`${messageOf(error)}.`, { cause: error });
  const { code = '', path: of = path } = error as NodeJS.ErrnoException;
  const above = code === 'EEXIST' && resolve(of) !== resolve(path);
  const reason = REASONS[above ? 'ENOTDIR' : code] ?? messageOf(error);
  return new UsageError(`${path} cannot be ${what}: ${reason}; choose another place.`, {
    cause: error,
  });
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function makeMissing(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeMissing(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it.
    if (!isFolder(path)) throw error;
  }
}

/**
 * Makes a folder that the user named, and those above it. Node's own `recursive` never returns where a parent refuses
 * new folders with ENOENT, as /proc does.
 *
 * @throws UsageError where it cannot be made
 */
export function makeFolders(path: string): void {
  try {
    makeMissing(resolve(path));
  } catch (error) {
    throw pathFault(path, 'made', error);
  }
}

/** Node names no path where a write fails that follows the opening, as on a full disk. */
const withPath = (error: unknown, path: string): unknown =>
  error instanceof Error && 'code' in error && !('path' in error)
    ? Object.assign(error, { path })
    : error;

/** @throws what `write` throws, with the path where it names none */
export function namingPath<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw withPath(error, path);
  }
}

/** As `namingPath`, for what takes time. */
export async function namingPathLater<T>(path: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw withPath(error, path);
  }
}
