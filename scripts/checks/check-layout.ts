/** No file is too long to read in one sitting. */
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { sourceFiles } from './source-files.ts';

const MAX_LINES = 800;

export interface SourceFile {
  /** Relative to the repository. */
  path: string;
  lines: number;
}

/** What is wrong with the layout of `files`, a line each. */
export function faults(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines, over ${MAX_LINES}`);
}

function read(root: string): SourceFile[] {
  return ['src', 'workers', 'test', 'e2e', 'bench', 'scripts']
    .flatMap((folder) => sourceFiles(resolve(root, folder)))
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      return { path: relative(root, file), lines: text.split('\n').length - 1 };
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
