import { describe, expect, it } from 'vitest';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { type RunFile, readRunFile, writeRunFile } from '../../../../src/lab/train/records.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';
import { metricsCsv } from '../../../../src/lab/train/downloads.ts';

const run = runRecord('run-a', {
  name: 'first "try", with a comma',
  tags: ['a', 'b'],
  notes: 'line\nline',
  status: 'paused',
  settings: getTraining('ur2/paper'),
  step: 2,
  checkpointStep: 2,
});

const file: RunFile = {
  run,
  steps: [trainStep(1), trainStep(2)],
  state: {
    step: 2,
    updates: 2,
    warmedUp: 5,
    adapter: Float32Array.of(0.1, -0, 1e-40, 3e38),
    first: Float32Array.of(1, 2, 3, 4),
    second: Float32Array.of(5, 6, 7, 8),
    learningRate: 2e-3,
    curriculum: { drawn: 16 },
    router: null,
    elapsed: 12.5,
  },
};

describe('an exported run', () => {
  it('comes back as it was, bit for bit', () => {
    expect(readRunFile(writeRunFile(file))).toEqual(file);
  });

  it('keeps up to which step it was made elsewhere', () => {
    const imported = { ...file, run: { ...run, importedStep: 2 } };
    expect(readRunFile(writeRunFile(imported))).toEqual(imported);
  });

  it('may have no snapshot', () => {
    const early = { ...file, steps: [], state: null };
    expect(readRunFile(writeRunFile(early))).toEqual(early);
  });

  it('is refused with one line where it is something else', () => {
    expect(() => readRunFile('hello')).toThrow(/no exported run of Forage: it is not JSON/);
    expect(() => readRunFile('{"format":"other"}')).toThrow(/format: /);
    const broken = JSON.parse(writeRunFile(file)) as { run: { settings: { steps: unknown } } };
    broken.run.settings.steps = -3;
    expect(() => readRunFile(JSON.stringify(broken))).toThrow(/training settings: steps: /);
  });
});

describe('metrics as CSV', () => {
  const table = (text: string): string[][] =>
    text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));

  it('has one line a step and one column a number, nested ones by their path', () => {
    const [head, first, second] = table(metricsCsv([trainStep(1), trainStep(2)]));
    const at = (row: string[] | undefined, column: string) => row?.[head!.indexOf(column)];
    expect(at(first, 'step')).toBe('1');
    expect(at(second, 'reward.clauses.accuracy')).toBe('0.4');
    expect(at(second, 'reward.mean')).toBe('0.502');
    expect(at(first, 'seconds.rollout')).toBe('5');
  });

  it('leaves a cell empty where a step lacks the number', () => {
    const [head, first, tenth] = table(metricsCsv([trainStep(9), trainStep(10)]));
    const column = head!.indexOf('heldOut.em');
    expect(first![column]).toBe('');
    expect(tenth![column]).toBe('0.5');
  });

  it('quotes what would break a line', () => {
    const text = metricsCsv([{ ...trainStep(1), runId: 'a,"b"' }]);
    expect(text).toContain('"a,""b"""');
  });
});
