import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Inspection } from '../../src/evaluate/inspect/index.ts';
import { labHere, type LabRun } from './lab.ts';

const folder = mkdtempSync(join(tmpdir(), 'forage-inspect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWN = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

const inspect = (...args: string[]): Promise<LabRun> => labHere('inspect', ...args);

test('--json is one object: statistics, lint counts, and the lines that cannot be read', async () => {
  const file = join(folder, 'mixed.jsonl');
  writeFileSync(file, `${readFileSync(OWN, 'utf8')}{"broken\n`);
  const { status, out } = await inspect(file, '--json');
  expect(status).toBe(0);
  const inspection = JSON.parse(out) as Inspection;
  expect(inspection.layouts).toEqual({ forage: 10 });
  expect(inspection.statistics.rollouts).toBe(10);
  expect(inspection.faults).toEqual([{ line: 11, reason: expect.stringMatching(/^is not JSON/) }]);
  expect(Object.keys(inspection.lint)).toContain('answer-seen-not-given');
});

test('without --json the same for people', async () => {
  const { status, out } = await inspect(OWN);
  expect(status).toBe(0);
  expect(out).toMatch(/^kunlun-baize-dev\.jsonl +10 rollouts: forage 10/);
  // Each score says whose normaliser it is by, and the outcomes what calls an answer right.
  expect(out).toMatch(/^EM \(SQuAD\) +1 \(10\.0 %\)$/m);
  expect(out).toMatch(/^cover-EM \(R1-Searcher, ACC_R\) +\d+ \(/m);
  expect(out).toMatch(/^outcomes +by EM: /m);
});

test('a file that is none ends with one line and status 2', async () => {
  const { status, out, err } = await inspect('/nowhere.jsonl');
  expect([status, out]).toEqual([2, '']);
  expect(err.trim()).toBe('/nowhere.jsonl is no file that can be read.');
});
