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
