import type { ReadSource } from '../export/parts/folder.ts';

/** The files that exports copy, as parts of the page's build; the command line reads them from the disk. */

const FILES = import.meta.glob<string>(['./shared/*', './trl/*', './verl/*'], {
  query: '?raw',
  import: 'default',
});

/** @throws Error for a path of none */
export const readBundledFile: ReadSource = (path) => {
  const load = FILES[`./${path}`];
  if (!load) return Promise.reject(new Error(`${path} is not a file of an export`));
  return load();
};
