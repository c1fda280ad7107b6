import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { labHere } from '../lab.ts';

// A step starts a policy and a thread.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-warnings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WARNING =
  'warning: With one rollout per question there is no comparison and no learning signal.';
const set = (...changes: string[]): string[] => changes.flatMap((change) => ['--set', change]);
const ONE = ['--recipe=search/grpo', ...set('groupSize=1')];
const said = (err: string): string[] =>
  err.split('\n').filter((line) => line.startsWith('warning:'));

test('lab train says what its settings leave without effect, and trains', async () => {
  const out = join(folder, 'run');
  const small = set('questions=1', 'heldOut.questions=0', 'recipe=naive-rag');
  const how = ['--steps=1', '--threads=1', '--json', '--out', out];
  const { status, err } = await labHere('train', ...ONE, ...small, ...how);
  expect(status, err).toBe(0);
  expect(said(err)).toEqual([WARNING]);
  expect(existsSync(join(out, 'latest.json'))).toBe(true);
  // The run continues as it was begun, and is warned of as it was.
  const on = await labHere('train', '--resume', out, '--steps=2', '--threads=1', '--json');
  expect(said(on.err)).toEqual([WARNING]);
});

test('a sweep says it of the runs that it is so of, when it is only checked too', async () => {
  const check = ['train', ...ONE, '--check', '--steps=20', '--sweep'];
  const some = await labHere(...check, 'groupSize=1,4');
  expect(some.status, some.err).toBe(0);
  expect(said(some.err)).toEqual([WARNING.replace('warning: ', 'warning: group 1: ')]);
  expect(some.out).not.toContain('warning');
  const all = await labHere(...check, 'lr=1e-4,2e-4');
  expect(said(all.err)).toEqual([WARNING]);
});

test('warns of a change that has no effect with the other settings', async () => {
  const args = ['export', '--recipe=search/grpo', '--to', 'trl', '--steps=30'];
  const out = join(folder, 'idle');
  const off = set('objective.kl.place=off', 'objective.kl.coefficient=0.02');
  const { err } = await labHere(...args, ...off, '--out', out);
  expect(said(err)).toEqual([
    expect.stringContaining('objective.kl.coefficient has no effect here') as string,
  ]);
});

test('lab export says it of the folder that it writes', async () => {
  const out = join(folder, 'trl');
  // Fewer steps than between two held-out scores.
  const args = ['export', '--recipe=search/grpo', '--to', 'trl', '--steps=3', '--out', out];
  const { status, err } = await labHere(...args);
  expect(status, err).toBe(0);
  expect(said(err)).toEqual([
    'warning: This run is shorter than the scoring interval: the held-out questions are scored only at the start and the end.',
  ]);
  expect(existsSync(join(out, 'experiment.json'))).toBe(true);
});
