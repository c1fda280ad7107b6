import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { UsageError } from './options.ts';

/** @throws UsageError where the folder cannot be made, or holds something */
function makeFolder(path: string): void {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new UsageError(`${path} holds files already; name an empty folder.`);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/**
 * Fills a new or empty folder. Where that fails, as on a full disk, nothing stays in it, so that the same command can
 * be run again.
 *
 * @throws UsageError where the folder cannot be made, or holds something; what `fill` throws
 */
export async function fillFolder<T>(path: string, fill: () => T | Promise<T>): Promise<T> {
  makeFolder(path);
  return emptiedOnFault(path, fill);
}

/** Empties a folder where what fills it fails. It must be the caller's own. */
export async function emptiedOnFault<T>(path: string, fill: () => T | Promise<T>): Promise<T> {
  try {
    return await fill();
  } catch (error) {
    for (const name of existsSync(path) ? readdirSync(path) : [])
      rmSync(join(path, name), { recursive: true, force: true });
    throw error;
  }
}
