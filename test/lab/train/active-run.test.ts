import { expect, it } from 'vitest';
import { ActiveRun } from '../../../src/lab/train/active-run.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

it('keeps what was noted, each once, and of what is said anew the newest', () => {
  const active = new ActiveRun(runRecord(), [], () => undefined);
  active.note('A snapshot was damaged.');
  active.note('No verdict on step 0.');
  active.note('Frozen for 9 s.');
  active.note('No verdict on step 1.', 'No verdict on step 0.');
  active.note('Frozen for 9 s.');
  expect(active.notice).toBe('A snapshot was damaged. Frozen for 9 s. No verdict on step 1.');
});

it('tells what was made before the first step until a snapshot has it in the record', () => {
  const active = new ActiveRun(runRecord('a', { before: ['A start.'] }), [], () => undefined);
  const told = () => active.progress('running').notice;
  expect([told(), active.record]).toEqual([null, { before: ['A start.'] }]);
  active.noteBefore('A warm-up.');
  active.noteBefore('A warm-up.');
  active.note('Frozen for 9 s.');
  expect(told()).toBe('A warm-up. Frozen for 9 s.');
  expect(active.record).toEqual({ before: ['A start.', 'A warm-up.'] });
  active.recorded();
  expect(told()).toBe('Frozen for 9 s.');
  // What was lost with a worker before its snapshot is made again, and told again.
  active.noteBefore('Made on a GPU.');
  active.restarted();
  expect(active.record).toEqual({ before: ['A start.', 'A warm-up.'] });
  expect(new ActiveRun(runRecord(), [], () => undefined).record).toEqual({});
});
