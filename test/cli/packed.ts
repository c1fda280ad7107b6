import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * The commands as a package has them, in `packed/`: their processes and threads start without reading
 * TypeScript, in a tenth of the time. They are packed once, and again when a source has changed.
 */

const SOURCES = [
  'src',
  // Bundled with them: what studies measured.
  'training/studies/results/signatures.json',
  'scripts/build-commands.mjs',
  'scripts/start.mjs',
  'package-lock.json',
];
const STAMP = 'packed/.sources';
const LOCK = '.cache/packing';
/** Who has packed for longer has ended without a word. */
const PATIENCE_MS = 120_000;

/** Names, sizes and times of all files below a path, or of the file that it is. */
function* states(path: string): Generator<string> {
  const found = statSync(path);
  if (!found.isDirectory()) return yield `${path} ${found.mtimeMs} ${found.size}\n`;
  for (const name of readdirSync(path)) yield* states(join(path, name));
}

const stampNow = (): string => {
  const hash = createHash('sha256');
  for (const path of SOURCES) for (const state of states(path)) hash.update(state);
  return hash.digest('hex');
};

const isFresh = (stamp: string): boolean =>
  existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp;

const pause = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

/** Whether it is now for this process to pack; waits for another that does. */
function took(stamp: string): boolean {
  mkdirSync('.cache', { recursive: true });
  for (let waited = 0; ; waited += 100) {
    if (isFresh(stamp)) return false;
    try {
      mkdirSync(LOCK);
      return true;
    } catch {
      if (waited > PATIENCE_MS) rmSync(LOCK, { recursive: true, force: true });
      else pause(100);
    }
  }
}

/** What Node is given to run the packed command line. */
export function packedLab(): readonly string[] {
  const stamp = stampNow();
  if (took(stamp))
    try {
      execFileSync(process.execPath, ['scripts/build-commands.mjs'], { stdio: 'pipe' });
      writeFileSync(STAMP, stamp);
    } finally {
      rmSync(LOCK, { recursive: true, force: true });
    }
  return ['packed/lab.js'];
}
