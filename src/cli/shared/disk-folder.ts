import { readdirSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fetchFromDisk } from './build-world.ts';
import type { ModelFolder } from '../../retrieval/encoder/sentence-transformers.ts';

/** A folder on disk, with its files. */
export function diskFolder(path: string): ModelFolder {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));
  return { name: basename(resolve(path)), files, read: fetchFromDisk(path) };
}
