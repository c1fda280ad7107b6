import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../shared/options.ts';
import { namingPath } from '../shared/path-fault.ts';

/** A run's folder has one writer at a time: a second one would trim and remove what the first one writes. */

const LOCK = 'process';

/** Locks that this process holds, by their text. A lock with our process id that is not here is stale: ids are reused. */
const ours = new Set<string>();

/** Whether a process of this machine is alive, also one of another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** The text of a lock; null where there is none. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Makes a file appear under a name that nothing has, with all of its text. @returns false where the name is taken */
function create(path: string, text: string): boolean {
  const whole = `${path}.${randomUUID().slice(0, 8)}.new`;
  writeFileSync(whole, text, { flag: 'wx' });
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // File systems without hard links, such as exFAT.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP')) throw error;
    return createInPlace(path, text);
  } finally {
    rmSync(whole, { force: true });
  }
}

function createInPlace(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The process that holds a lock of this text; null where it has ended. */
function holderOf(text: string): number | null {
  const pid = Number.parseInt(text, 10);
  const held = pid === process.pid ? ours.has(text) : pid > 0 && isAlive(pid);
  return held ? pid : null;
}

/**
 * Takes a lock. A stale one is replaced only by the process that holds the lock *of that stale lock*, which is named after its text.
 * Texts are never used twice, so a process that read the stale text long ago finds another one and starts again.
 * @returns null where it is held now, else the process that holds it
 */
function take(path: string, text: string): number | null {
  for (;;) {
    if (create(path, text)) {
      ours.add(text);
      return null;
    }
    const found = read(path);
    if (found === null) continue;
    const holder = holderOf(found);
    if (holder !== null) return holder;
    const claim = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 8)}`;
    const claimText = lockText();
    const rival = take(claim, claimText);
    if (rival !== null) return rival;
    try {
      if (read(path) !== found) continue;
      const next = `${path}.${randomUUID().slice(0, 8)}.new`;
      writeFileSync(next, text, { flag: 'wx' });
      ours.add(text);
      renameSync(next, path);
      return null;
    } finally {
      release(claim, claimText);
    }
  }
}

/** Removes a lock, unless somebody removed it by hand and another process holds the folder now. */
function release(path: string, text: string): void {
  if (read(path) === text) rmSync(path, { force: true });
  ours.delete(text);
}

/** The process id, and what no other lock has. */
const lockText = (): string => `${process.pid}\n${randomUUID()}\n`;

/**
 * Holds the folder of a run until it is disposed of. The lock of a process that ended is taken over, by one process only.
 * @throws UsageError where another process that is alive holds it
 */
export function holdRun(run: string): Disposable {
  const path = join(run, LOCK);
  const text = lockText();
  const holder = namingPath(path, () => take(path, text));
  if (holder !== null)
    throw new UsageError(
      `${run} is being trained by process ${holder}; stop that first. If it is another program, remove ${path}.`,
    );
  return { [Symbol.dispose]: () => release(path, text) };
}
