import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdRun } from '../../../src/cli/train/hold.ts';

/** A run's folder belongs to one process at a time. */

let run = '';
beforeEach(() => {
  run = mkdtempSync(join(tmpdir(), 'forage-held-'));
});
afterEach(() => rmSync(run, { recursive: true, force: true }));

test('a folder that a living process holds is refused, with the process; behind its death it is free', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await new Promise((started) => other.once('spawn', started));
  writeFileSync(join(run, 'process'), `${other.pid}\n`);
  expect(() => holdRun(run)).toThrow(`is being trained by process ${other.pid}; stop that first`);
  const ended = new Promise((exit) => other.once('exit', exit));
  other.kill('SIGKILL');
  await ended;
  {
    using _held = holdRun(run);
    expect(existsSync(join(run, 'process'))).toBe(true);
  }
  expect(readdirSync(run)).toEqual([]);
});

test('what a killed process left half written is taken over', () => {
  writeFileSync(join(run, 'process'), '');
  using _held = holdRun(run);
  expect(readdirSync(run)).toEqual(['process']);
});

test('a lock with the id of this process that it does not hold is stale; one that it holds is refused', () => {
  writeFileSync(join(run, 'process'), `${process.pid}\n`);
  using _held = holdRun(run);
  expect(() => holdRun(run)).toThrow(`is being trained by process ${process.pid}`);
  expect(readdirSync(run)).toEqual(['process']);
});

/** Waits for a moment, takes each folder 4 ms after the last, prints those that it got, and holds them until it is killed. */
const CONTENDER = `
const [, hold, folders, count] = process.argv;
const { holdRun } = await import(hold);
console.log('ready');
process.stdin.once('data', (begin) => {
  const held = [];
  for (let i = 0; i < Number(count); i++) {
    while (Date.now() < Number(begin) + 4 * i);
    try {
      held.push(holdRun(folders + '/' + i));
      console.log(i);
    } catch (error) {
      if (!/is being trained by process/.test(error.message)) console.log(error.stack);
    }
  }
  console.log('done');
});
`;

/** The lines that a process prints before `last`. */
async function linesBefore(lines: AsyncIterator<string>, last: string): Promise<string[]> {
  const found: string[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    if (next.value === last) return found;
    found.push(next.value);
  }
  return [...found, `ended before it was ${last}`];
}

test('of several processes that find the same stale lock, exactly one gets the folder', async () => {
  const count = 150;
  const ended = spawn(process.execPath, ['-e', '']);
  await new Promise((exit) => ended.once('exit', exit));
  const stale = `${ended.pid}\n`;
  const claim = `process.${createHash('sha256').update(stale).digest('hex').slice(0, 8)}`;
  for (let i = 0; i < count; i++) {
    const folder = join(run, String(i));
    mkdirSync(folder);
    // Whole, half written, or with what a process left that was killed while it replaced the lock.
    writeFileSync(join(folder, 'process'), i % 3 === 1 ? '' : stale);
    if (i % 3 === 2) writeFileSync(join(folder, claim), stale);
  }
  const args = [pathToFileURL('src/cli/train/hold.ts').href, run, String(count)];
  const node = ['--import', 'tsx', '--input-type=module', '-e', CONTENDER, ...args];
  const contenders = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, node, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, lines };
  });
  try {
    await Promise.all(contenders.map(({ lines }) => linesBefore(lines, 'ready')));
    const begin = Date.now() + 100;
    for (const { child } of contenders) child.stdin.write(`${begin}\n`);
    const winners = await Promise.all(contenders.map(({ lines }) => linesBefore(lines, 'done')));
    expect(winners.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: count }, (_, i) => String(i)),
    );
    for (let i = 0; i < count; i++) expect(readdirSync(join(run, String(i)))).toEqual(['process']);
  } finally {
    await Promise.all(
      contenders.map(({ child }) => {
        const exit = new Promise((done) => child.once('exit', done));
        child.kill('SIGKILL');
        return exit;
      }),
    );
  }
});
