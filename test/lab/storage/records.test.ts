import { describe, expect, it } from 'vitest';
import { parseRun } from '../../../src/lab/storage/records.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

describe('a stored run', () => {
  it('is read as it was written', () => {
    const run = runRecord('run-b', { settings: getTraining('search/grpo') });
    const policy = { kind: 'checkpoint' as const, id: 'c' };
    for (const change of [
      {},
      { keys: 'f16' as const },
      { before: ['Cold start: 12 of 12 updates.'] },
      { setup: { ...BUILT_IN_SETUP, policy } },
      { importedStep: 2 },
    ]) {
      const stored: unknown = JSON.parse(JSON.stringify({ ...run, ...change }));
      expect(parseRun(stored)).toEqual({ ...run, ...change });
    }
  });

  it('of another version of Forage is refused in one sentence that says what to do', () => {
    const older = { ...runRecord('run-a'), format: 'forage.run/1' };
    expect(() => parseRun(older)).toThrow(
      /^the run was made by another version of Forage \(forage\.run\/1, here forage\.run\/6\); train it again here$/,
    );
  });
});
