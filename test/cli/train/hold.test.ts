import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
