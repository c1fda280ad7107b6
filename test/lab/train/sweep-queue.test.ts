import { expect, it } from 'vitest';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import { parseRun } from '../../../src/lab/storage/records.ts';
import { SweepQueue } from '../../../src/lab/train/sweep-queue.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

const axes = [{ path: 'seed', values: [1, 2] }];
const cell = (row: number, column: number, change: Partial<RunRecord> = {}): RunRecord =>
  runRecord(`run-${row}${column}`, {
    status: 'paused',
    step: 0,
    sweep: { id: 'sweep-a', name: 'a', axes, place: [row, column] },
    ...change,
  });

/** A store of runs, and what was begun of them. */
const opened = (runs: RunRecord[], refuses: string | null = null) => {
  const begun: string[] = [];
  const moves: (string | null)[] = [];
  const notices: string[] = [];
  const queue = new SweepQueue({
    runs: () => Promise.resolve(runs),
    resume: (id) => {
      if (id === refuses) return Promise.reject(new Error('no memory'));
      begun.push(id);
      return Promise.resolve();
    },
    moved: (id) => void moves.push(id),
    failed: (id, message) => Promise.resolve(void notices.push(`${id}: ${message}`)),
  });
  const end = async (id: string, status: RunRecord['status']): Promise<void> => {
    const at = runs.findIndex((run) => run.id === id);
    runs[at] = { ...runs[at]!, status };
    await queue.ended(runs[at], status);
  };
  return { queue, begun, moves, notices, end };
};

it('begins the cells row by row; one that failed lets the next begin', async () => {
  const { queue, begun, moves, end } = opened([cell(1, 0), cell(0, 1), cell(0, 0), runRecord('x')]);
  await queue.start('sweep-a');
  await end('run-00', 'finished');
  await end('run-01', 'failed');
  expect(begun).toEqual(['run-00', 'run-01', 'run-10']);
  expect(queue.current).toBe('sweep-a');
  await end('run-10', 'finished');
  expect(moves).toEqual(['sweep-a', null]);
  await expect(queue.start('sweep-a')).rejects.toThrow('No run of this sweep waits.');
});

it.each(['paused', 'stopped'] as const)('a run that was %s ends it', async (status) => {
  const { queue, begun, end } = opened([cell(0, 0), cell(0, 1)]);
  await queue.start('sweep-a');
  await end('run-00', status);
  expect([begun, queue.current]).toEqual([['run-00'], null]);
});

it('another tab that goes on with it begins with the run that was interrupted, and leaves out what was dropped', async () => {
  const runs = [cell(0, 0), cell(0, 1, { deletedAt: '2026-01-01' }), cell(1, 0, { step: 1 })];
  const { queue, begun, end } = opened(runs);
  await queue.start('sweep-a');
  await end('run-10', 'finished');
  await end('run-00', 'finished');
  expect(begun).toEqual(['run-10', 'run-00']);
  expect(queue.current).toBeNull();
});

it('runs of another sweep, and of none, move nothing', async () => {
  const runs = [cell(0, 0), cell(0, 1)];
  const { queue, begun } = opened(runs);
  await queue.start('sweep-a');
  await queue.ended({}, 'finished');
  await queue.ended({ sweep: { id: 'sweep-b', name: '', axes, place: [0, 0] } }, 'finished');
  expect(begun).toEqual(['run-00']);
});

it('a run that cannot begin ends it, and says why', async () => {
  const { queue, notices, end } = opened([cell(0, 0), cell(0, 1)], 'run-01');
  await queue.start('sweep-a');
  await end('run-00', 'finished');
  expect(notices).toEqual(['run-01: The sweep could not start it: no memory']);
  expect(queue.current).toBeNull();
});

it('a cell is stored with its sweep, and a run of no sweep as before', () => {
  const run = cell(1, 0);
  expect(parseRun(structuredClone(run)).sweep).toEqual(run.sweep);
  expect('sweep' in parseRun(structuredClone(runRecord('x')))).toBe(false);
});
