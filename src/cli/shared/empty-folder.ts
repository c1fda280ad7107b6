import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './options.ts';
import { makeFolders, namingPathLater } from './path-fault.ts';

/** @throws UsageError where the folder cannot be made, or holds something */
function makeFolder(path: string): void {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new UsageError(`${path} is not empty; name an empty folder.`);
  makeFolders(path);
}

/**
 * Fills a new or empty folder. Where that fails, as on a full disk, the folder is empty again and the same command can be
 * run again.
 *
 * @throws UsageError where the folder cannot be made, or holds something; what `fill` throws
 */
export async function fillFolder<T>(path: string, fill: () => T | Promise<T>): Promise<T> {
  makeFolder(path);
  return emptiedOnFault(path, fill);
}

/** Empties a folder where `fill` fails. It must hold nothing before. */
export async function emptiedOnFault<T>(path: string, fill: () => T | Promise<T>): Promise<T> {
  try {
    return await namingPathLater(path, fill);
  } catch (error) {
    for (const name of existsSync(path) ? readdirSync(path) : [])
      rmSync(join(path, name), { recursive: true, force: true });
    throw error;
  }
}
