import {
  accessSync,
  constants,
  openAsBlob,
  readdirSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isRolloutName, runName } from '../../formats/rollouts/shape/names.ts';
import type { RunFile } from '../../formats/rollouts/run.ts';
import { UsageError } from './options.ts';

/** Files and folders of the command line as the files of one run. */

/** Limit on files: a nested folder may hold anything. */
const MOST_FILES = 10_000;

export interface RolloutRun {
  name: string;
  files: RunFile[];
  /** Names of the files that were given themselves, and not found in a folder. */
  given: ReadonlySet<string>;
  /** Files of folders that have no name of rollouts. */
  leftOut: number;
}

interface InputFile {
  path: string;
  given: boolean;
}

/** Kind of a path. @throws UsageError where it is missing or unreadable */
function kindOf(path: string): 'file' | 'folder' {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() && !stat?.isDirectory())
    throw new UsageError(`${path} is not a readable file.`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw new UsageError(`You have no permission to read ${path}.`);
  }
  return stat.isFile() ? 'file' : 'folder';
}

/** Target of a link; undefined where it is missing or the link itself. */
function targetOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Files of rollouts below a folder, also behind links: a snapshot in Hugging Face's cache is nothing else.
 * Hidden ones are not looked at. @param seen real paths of the folders so far: links may lead in circles
 */
function* filesBelow(
  folder: string,
  seen = new Set<string>(),
): Generator<{ path: string; wanted: boolean }> {
  const real = realpathSync(folder);
  if (seen.has(real)) return;
  seen.add(real);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    const kind = entry.isSymbolicLink() ? targetOf(path) : entry;
    if (kind?.isDirectory()) yield* filesBelow(path, seen);
    else if (kind?.isFile()) yield { path, wanted: isRolloutName(entry.name) };
  }
}

function filesOf(path: string): { found: InputFile[]; leftOut: number } {
  if (kindOf(path) === 'file') return { found: [{ path, given: true }], leftOut: 0 };
  const all = [...filesBelow(path)];
  const found = all.flatMap((one) => (one.wanted ? [{ path: one.path, given: false }] : []));
  if (found.length === 0)
    throw new UsageError(
      `${path} is a folder without rollout files (.jsonl, .ndjson, .json, .parquet or .eval, with or without gzip). If yours has another name, name the file itself.`,
    );
  return { found, leftOut: all.length - found.length };
}

/** The folder that contains all paths. */
function commonFolder(paths: readonly string[]): string {
  let common = dirname(paths[0] ?? '');
  while (!paths.every((path) => path.startsWith(common.endsWith(sep) ? common : common + sep)))
    common = dirname(common);
  return common;
}

/**
 * The run that some paths name. Every one must be there; a file that is named twice is read once.
 * @throws UsageError for one that is missing, cannot be read, or is a folder without such files
 */
export async function openRolloutRun(paths: readonly string[]): Promise<RolloutRun> {
  const groups = paths.map(filesOf);
  const found = new Map<string, InputFile>();
  for (const one of groups.flatMap((group) => group.found)) {
    const real = realpathSync(one.path);
    const given = one.given || (found.get(real)?.given ?? false);
    found.set(real, { path: resolve(one.path), given });
  }
  if (found.size > MOST_FILES)
    throw new UsageError(
      `There are ${found.size} rollout files; at most ${MOST_FILES} are read as one run.`,
    );
  const list = [...found.values()];
  const common = commonFolder(list.map(({ path }) => path));
  const nameOf = (path: string): string => relative(common, path).split(sep).join('/');
  const files: RunFile[] = [];
  for (const { path } of list) files.push({ name: nameOf(path), blob: await openAsBlob(path) });
  const [only] = paths;
  const folder =
    paths.length === 1 && only !== undefined && kindOf(only) === 'folder'
      ? basename(resolve(only))
      : '';
  return {
    name: runName(files, folder),
    files,
    given: new Set(list.flatMap(({ path, given }) => (given ? [nameOf(path)] : []))),
    leftOut: groups.reduce((sum, group) => sum + group.leftOut, 0),
  };
}
