import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Inspection } from '../../src/evaluate/inspect/index.ts';

vi.setConfig({ testTimeout: 240_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-inspect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

function lab(...args: string[]): { status: number | null; out: string; err: string } {
  const run = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'src/cli/main.ts', 'inspect', ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status: run.status, out: run.stdout, err: run.stderr };
}

test('--json is one object: statistics, lint counts, and the lines that cannot be read', () => {
  const file = join(folder, 'mixed.jsonl');
  writeFileSync(file, `${readFileSync(OWN, 'utf8')}{"broken\n`);
  const { status, out } = lab(file, '--json');
  expect(status).toBe(0);
  const inspection = JSON.parse(out) as Inspection;
  expect(inspection.layouts).toEqual({ forage: 10 });
  expect(inspection.statistics.rollouts).toBe(10);
  expect(inspection.faults).toEqual([{ line: 11, reason: expect.stringMatching(/^is not JSON/) }]);
  expect(Object.keys(inspection.lint)).toContain('answer-seen-not-given');
});

test('without --json the same for people', () => {
  const { status, out } = lab(OWN);
  expect(status).toBe(0);
  expect(out).toMatch(/^kunlun-baize-dev\.jsonl +10 rollouts: forage 10/);
  expect(out).toMatch(/^EM +1 \(10\.0 %\)$/m);
});

test('a file that is none ends with one line and status 2', () => {
  const { status, out, err } = lab('/nowhere.jsonl');
  expect([status, out]).toEqual([2, '']);
  expect(err.trim()).toBe('/nowhere.jsonl is no file that can be read.');
});
