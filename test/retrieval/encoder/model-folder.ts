import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fetchFromDisk } from '../../../src/cli/shared/build-world.ts';
import type { ModelFolder } from '../../../src/retrieval/encoder/sentence-transformers.ts';

/** A folder of the disk, with what it holds. */
export function diskFolder(path: string, name = basename(path)): ModelFolder {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));
  return { name, files, read: fetchFromDisk(path) };
}

/** The folder with some files replaced or, where null, taken away. */
export function changed(folder: ModelFolder, files: Record<string, object | null>): ModelFolder {
  return {
    name: folder.name,
    files: [...new Set([...folder.files, ...Object.keys(files)])].filter((f) => files[f] !== null),
    read: (name, options) => {
      const file = files[name];
      return file
        ? Promise.resolve(new TextEncoder().encode(JSON.stringify(file)))
        : folder.read(name, options);
    },
  };
}

export const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
