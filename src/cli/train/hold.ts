import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../shared/options.ts';

/** One process at a time writes a run's folder: a second one would trim and remove what the first one writes. */

const HELD = 'process';

/** Whether a process of this machine lives; one of another user does too. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** @returns false where the file is there already */
function written(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Holds the folder of a run until it is disposed of. What a killed process left is taken over.
 * @throws UsageError where another process that lives holds it
 */
export function holdRun(run: string): Disposable {
  const path = join(run, HELD);
  if (!written(path)) {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid > 0 && pid !== process.pid && lives(pid))
      throw new UsageError(
        `${run} is being trained by process ${pid}; stop that first. If it is another program, remove ${path}.`,
      );
    writeFileSync(path, `${process.pid}\n`);
  }
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}
