import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { UsageError } from './options.ts';

/** @throws UsageError where the folder cannot be made, or holds something */
export function makeFolder(path: string): void {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new UsageError(`${path} holds files already; name an empty folder.`);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`${path} cannot be made: ${messageOf(error)}.`);
  }
}
