import { describe, expect, it } from 'vitest';
import {
  areSteps,
  inStepOrder,
  isRolloutName,
  runName,
  withoutEnding,
} from '../../../src/formats/rollouts/shape/names.ts';

const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

describe('names of files of rollouts', () => {
  it.each(['a.jsonl', 'a.ndjson', 'A.JSON', 'a.parquet', 'log.eval', 'a.jsonl.gz', 'a.b.json'])(
    '%s is one',
    (name) => expect(isRolloutName(name)).toBe(true),
  );

  it.each(['a.txt', 'a.jsonl.zip', 'jsonl', '.a.jsonl', 'a.json.bak', 'a.gz', 'ajson'])(
    '%s is none',
    (name) => expect(isRolloutName(name)).toBe(false),
  );

  it('go into other names without their ending', () => {
    expect(withoutEnding('run.jsonl.gz')).toBe('run');
    expect(withoutEnding('v1.json.parquet')).toBe('v1.json');
    expect(withoutEnding('plain')).toBe('plain');
  });

  it('are in order by the numbers in them', () => {
    const files = named('step_10.jsonl', 'step_2.jsonl', 'step_1.jsonl');
    expect(inStepOrder(files).map(({ name }) => name)).toEqual([
      'step_1.jsonl',
      'step_2.jsonl',
      'step_10.jsonl',
    ]);
  });

  it.each([
    [['1.jsonl', '2.jsonl']],
    [['step_1.json', 'Step-2.json']],
    [['global_step_5.parquet', 'globalstep10.parquet']],
    [['iter_1.jsonl.gz', 'iteration-2.jsonl']],
    [['completions_00001.parquet', 'completions_00002.parquet']],
  ])('%j are the steps of one run', (names) => expect(areSteps(names)).toBe(true));

  it.each([
    [['1.jsonl']],
    [[]],
    [['1.jsonl', 'notes.jsonl']],
    [['a1.jsonl', 'a2.jsonl']],
    [['1.jsonl.bak', '2.jsonl.bak']],
    [['step_.jsonl', 'step_2.jsonl']],
  ])('%j are not', (names) => expect(areSteps(names)).toBe(false));

  it('name a run: its folder, else its first file and how many more', () => {
    expect(runName(named('a.jsonl'), 'folder')).toBe('a.jsonl');
    expect(runName(named('10.jsonl', '9.jsonl'), 'folder')).toBe('folder');
    expect(runName(named('10.jsonl', '9.jsonl', '11.jsonl'))).toBe('9.jsonl and 2 more');
  });
});
