import { describe, expect, it } from 'vitest';
import { parseRun } from '../../../src/lab/storage/records.ts';
import { setupInForm } from '../../../src/records/built-in-forms.ts';
import { BUILT_IN_SETUP, type Setup } from '../../../src/records/setup.ts';
import { getTraining, recipeOf } from '../../../src/recipes/index.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

/** A run as it was stored when there was one world, and no recipe below had a second version. */
const stored = (setup?: Setup): object => {
  const { recipeVersion: _, ...settings } = getTraining('search/grpo');
  const world = { seed: 20250619, questions: 3200 };
  return runRecord('run-a', { settings, world, ...(setup && { setup }) });
};

const FIRST = { kind: 'built-in', form: 1 };

describe('a stored run of the time of the first world', () => {
  it('works with the first world and policy, and shows two passages a search', () => {
    const run = parseRun(stored());
    expect(run.setup).toMatchObject({ policy: FIRST, local: FIRST, web: FIRST, questions: FIRST });
    expect(recipeOf(run.settings).settings.retrieval.k).toBe(2);
    // Stored again by this version, it means the same.
    expect(parseRun(JSON.parse(JSON.stringify(run)))).toEqual(run);
  });

  it('keeps what was not built in', () => {
    const local = {
      kind: 'collections' as const,
      ids: ['rivers'],
      method: 'lexical',
      encoder: 'built-in',
      reranker: null,
    };
    const policy = { kind: 'checkpoint' as const, id: 'c' };
    const { setup } = parseRun(stored({ ...BUILT_IN_SETUP, local, policy }));
    expect(setup).toEqual({ ...setupInForm(BUILT_IN_SETUP, 1), local, policy });
  });
});

describe('a run that is stored now', () => {
  it('works with what is built in now, or with what its setup names', () => {
    const run = runRecord('run-b', { settings: getTraining('search/grpo') });
    expect(parseRun(run)).toEqual(run);
    expect(recipeOf(run.settings).settings.retrieval.k).toBe(3);
    const halves = { ...run, keys: 'f16' as const };
    expect(parseRun(halves)).toEqual(halves);
    const told = { ...run, before: ['Warm-up: 12 of 12 updates.'] };
    expect(parseRun(told)).toEqual(told);
    const again = { ...run, setup: setupInForm(BUILT_IN_SETUP, 1) };
    expect(parseRun(again)).toEqual(again);
  });
});
