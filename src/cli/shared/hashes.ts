import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/**
 * `sha256.json` holds the SHA-256 of the files of a folder, so that a damaged adapter is never read. Folders of adapters
 * that hold nothing else have theirs in the `sha256.json` of the folder above, by their names.
 */

export const HASHES = 'sha256.json';

export const hashesSchema = z.record(z.string(), z.string());
export type Hashes = z.infer<typeof hashesSchema>;
const foldersSchema = z.record(z.string(), hashesSchema);

export const hashOf = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

export const encodeHashes = (hashes: Hashes | Readonly<Record<string, Hashes>>): string =>
  `${JSON.stringify(hashes, null, 2)}\n`;

function read<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Error(`${path} is damaged`);
  }
}

/** Hashes of a folder's files by the folder's own list; null without one. @throws Error where it is damaged */
export const hashesIn = (folder: string): Hashes | null => read(join(folder, HASHES), hashesSchema);

/** Hashes of the files of folders in a folder; none without a list. @throws Error where it is damaged */
export const folderHashes = (folder: string): Readonly<Record<string, Hashes>> =>
  read(join(folder, HASHES), foldersSchema) ?? {};

/** A file of a folder. @throws Error where it is missing, or has another hash */
export function checkedFile(folder: string, name: string, hashes: Hashes): Uint8Array<ArrayBuffer> {
  const path = join(folder, name);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  const bytes = new Uint8Array(readFileSync(path));
  if (hashOf(bytes) !== hashes[name]) throw new Error(`${path} does not match its hash`);
  return bytes;
}

/** Hashes of an adapter's files, from its folder or the one above; null where nothing lists them. */
export function adapterHashes(folder: string): Hashes | null {
  const own = hashesIn(folder);
  if (own) return own;
  const above = dirname(folder);
  const listed = read(join(above, HASHES), z.record(z.string(), z.unknown()))?.[basename(folder)];
  const parsed = hashesSchema.safeParse(listed);
  return parsed.success ? parsed.data : null;
}
