import { readFileSync } from 'node:fs';
import { adopt, type Adopted } from '../../../src/handover/adopt/adopt.ts';
import { openArchive } from '../../../src/handover/adopt/open-archive.ts';
import type { AdoptFile } from '../../../src/handover/adopt/folder.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';

/** The folder that TRL itself left, and what is made of it. */

const url = (path: string): URL => new URL(`../../../${path}`, import.meta.url);

export const ARCHIVE = url('test/fixtures/handover/returned-trl.tar.gz');

export const CONFIG_FILE = url('test/fixtures/handover/policy-config.json');

export const config = parsePolicyConfig(JSON.parse(readFileSync(CONFIG_FILE, 'utf8')));

/** The policy that it was trained on, by the beginning of the SHA-256 of its weights. */
export const REVISION = '73a6c7860a7f';

/** By their paths below the exported folder. */
export type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

export async function returned(): Promise<Files> {
  const files = await openArchive('a.tar.gz', new Blob([readFileSync(ARCHIVE)]));
  const entries = (files ?? []).map(async ({ path, blob }) => {
    const name = path.replace('forage-trl/', '');
    const text = /\.(?:json|jsonl)$/.test(name);
    return [name, text ? await blob.text() : new Uint8Array(await blob.arrayBuffer())] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

export const filesOf = (files: Files): AdoptFile[] =>
  Object.entries(files).map(([path, content]) => ({ path, blob: new Blob([content]) }));

export const adoptFiles = (files: Files): Promise<Adopted> =>
  adopt(filesOf(files), {
    base: () => Promise.resolve({ config }),
    now: '2026-01-01T00:00:00.000Z',
  });

/** A JSON file, changed. */
export function changed(
  files: Files,
  path: string,
  change: (value: Record<string, unknown>) => void,
): Files {
  const value = JSON.parse(String(files[path])) as Record<string, unknown>;
  change(value);
  return { ...files, [path]: JSON.stringify(value) };
}

export const without = (files: Files, pattern: RegExp): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !pattern.test(path)));

/** Files of a folder under another path; the others are left out. */
export const moved = (files: Files, from: string, to: string): Files =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, content]) =>
      path.startsWith(from) ? [[path.replace(from, to), content]] : [],
    ),
  );
