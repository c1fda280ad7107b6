import type { FolderFile } from './parts/folder.ts';

const NAME = 'requirements.txt';
const PINNED = /^([A-Za-z0-9._-]+)==([A-Za-z0-9.+!_-]+)$/u;

/**
 * Packages of the folder's `requirements.txt` with the versions that it pins.
 * @throws Error for a line that pins none
 */
export function pinnedVersions(files: readonly FolderFile[]): Record<string, string> {
  const content = files.find(({ path }) => path === NAME)?.content;
  if (typeof content !== 'string') throw new Error(`there is no ${NAME}`);
  const lines = content.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, version] = PINNED.exec(line.trim()) ?? [];
      if (name === undefined || version === undefined)
        throw new Error(`${NAME}: '${line}' pins no version`);
      return [name, version];
    }),
  );
}
