import { isGgufName } from '../../../../formats/gguf.ts';
import type { LocalFile } from '../../../contract/records/checkpoints.ts';

const LONGEST = 180;

/** A name that storage and addresses take, the same for the same file; the count of parts stays. */
export function storedName(path: string): string {
  const name = path.split('/').at(-1) ?? path;
  const tail = /(-\d{5}-of-\d{5})?\.gguf$/i.exec(name)?.[0] ?? '';
  const stem = name
    .slice(0, name.length - tail.length)
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST);
  return `${stem || 'model'}${tail}`;
}

/** The GGUF files among local ones, by the names under which they are stored. */
export function localGgufs(files: readonly LocalFile[]): Map<string, File> {
  return new Map(
    files.flatMap(({ path, file }) =>
      isGgufName(path) ? [[storedName(path), file] as const] : [],
    ),
  );
}
