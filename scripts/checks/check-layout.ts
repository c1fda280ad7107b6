/** No two folders import each other, and no file is too long to read in one sitting. */
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { sourceFiles, specifiers, targetOf } from './source-files.ts';

const MAX_LINES = 800;

export interface SourceFile {
  /** Relative to the repository. */
  path: string;
  lines: number;
  /** Paths of the files that it imports. */
  imports: readonly string[];
}

/** Pairs of folders that import each other, each with one import of either way. */
export function twoWayPairs(files: readonly SourceFile[]): string[] {
  const first = new Map<string, string>();
  for (const { path, imports } of files)
    for (const target of imports) {
      const key = `${dirname(path)} ${dirname(target)}`;
      if (dirname(path) !== dirname(target) && !first.has(key))
        first.set(key, `${path} → ${target}`);
    }
  return [...first].flatMap(([key, there]) => {
    const [from = '', to = ''] = key.split(' ');
    const back = first.get(`${to} ${from}`);
    return back === undefined || from > to ? [] : [`${there} and ${back}`];
  });
}

/** What is wrong with the layout of `files`, a line each. */
export function faults(files: readonly SourceFile[]): string[] {
  return [
    ...files
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}: ${lines} lines, over ${MAX_LINES}`),
    ...twoWayPairs(files).map((pair) => `two folders import each other: ${pair}`),
  ];
}

function read(root: string): SourceFile[] {
  return ['src', 'workers', 'test', 'e2e', 'bench', 'scripts']
    .flatMap((folder) => sourceFiles(resolve(root, folder)))
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      return {
        path: relative(root, file),
        lines: text.split('\n').length - 1,
        imports: specifiers(text)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => relative(root, targetOf(file, specifier))),
      };
    });
}

function main(): void {
  const files = read(process.cwd());
  const found = faults(files);
  for (const line of found) console.error(line);
  console.log(
    `layout: ${files.length} files, ${found.length === 0 ? 'in order' : `${found.length} faults`}`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('check-layout.ts')) main();
