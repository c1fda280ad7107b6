import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { withMutant, type Mutant } from './mutants.ts';

const PLACE = resolve('.cache/mutate/types');

/** Compiles the copy. @returns the files with an error in them */
async function filesWithErrors(): Promise<Set<string>> {
  const child = spawn(resolve('node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], {
    cwd: PLACE,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  await new Promise((done) => child.once('close', done));
  return new Set([...said.matchAll(/^(\S+?)\(\d+,\d+\): error/gmu)].map(([, file = '']) => file));
}

function copySources(): void {
  rmSync(PLACE, { recursive: true, force: true });
  mkdirSync(PLACE, { recursive: true });
  cpSync('src', join(PLACE, 'src'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(PLACE, 'node_modules'));
  // A name that a fault leaves unused is not a fault of types.
  // What did not change is not checked again.
  const compilerOptions = { noUnusedLocals: false, noEmit: true, incremental: true };
  const config = { extends: resolve('tsconfig.json'), compilerOptions, include: ['src'] };
  writeFileSync(join(PLACE, 'tsconfig.json'), JSON.stringify(config));
}

/**
 * The mutants that do not compile: the check of types is a part of the test command, so no test has to
 * find them. Those of different files are compiled together, in a copy of the sources; an error counts
 * for the mutant whose file it is in.
 */
export async function illTyped(
  mutants: readonly Mutant[],
  sourceOf: (file: string) => string,
): Promise<Set<Mutant>> {
  copySources();
  const ill = new Set<Mutant>();
  const before = await filesWithErrors();
  if (before.size > 0)
    throw new Error(`without a mutant it does not compile: ${[...before].join(', ')}`);
  for (let left = [...mutants]; left.length > 0;) {
    const batch = new Map<string, Mutant>();
    for (const mutant of left) if (!batch.has(mutant.file)) batch.set(mutant.file, mutant);
    for (const [file, mutant] of batch) write(file, withMutant(sourceOf(file), mutant));
    const wrong = await filesWithErrors();
    for (const [file, mutant] of batch) {
      if (wrong.has(file)) ill.add(mutant);
      write(file, sourceOf(file));
    }
    left = left.filter((mutant) => batch.get(mutant.file) !== mutant);
  }
  return ill;
}

function write(file: string, text: string): void {
  const path = join(PLACE, file);
  if (!existsSync(dirname(path))) throw new Error(`${file} is not among the sources`);
  writeFileSync(path, text);
}
