import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSweep } from '../../../../src/evaluate/sweep/axes.ts';
import { planSweep } from '../../../../src/evaluate/sweep/cells.ts';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import { leftOf, metricOf, sweepGrid } from '../../../../src/ui/train/sweep/sweep-grid.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';

const settings = { ...getTraining('kunlun-baize/dapo'), steps: 20 };

/** The runs of a sweep as the lab makes them, newest first. */
const runsOf = (text: string, rest: (i: number) => Partial<RunRecord> = () => ({})) => {
  const axes = parseSweep(text);
  const runs = planSweep(settings, axes, () => undefined).map((cell, i) =>
    runRecord(`run-${i}`, {
      settings: cell.settings,
      status: 'finished',
      step: 20,
      sweep: { id: 's', name: 'S', axes, place: cell.place },
      ...rest(i),
    }),
  );
  return { axes, runs: runs.toReversed() };
};

/** Steps at whose end held-out EM is this. */
const scored = (runId: string, em: number, seconds = 7): TrainStep[] => [
  {
    ...trainStep(1, runId),
    heldOutAtStart: { n: 64, em: 0.25, f1: 0, recall: 0, searches: 1, formatValid: 1 },
  },
  {
    ...trainStep(20, runId),
    heldOut: { n: 64, em, f1: em, recall: 0, searches: 1, formatValid: 1 },
    seconds: { rollout: 1, update: 1, heldOut: 1, checkpoint: 1, total: seconds },
  },
];

const scores = (...ems: number[]): Record<string, TrainStep[]> =>
  Object.fromEntries(ems.map((em, i) => [`run-${i}`, scored(`run-${i}`, em)]));

const EM = metricOf('em');

describe('the grid of a sweep', () => {
  it('has each pair of values once, at its row and column, whatever order runs are in', () => {
    const values = fc.uniqueArray(fc.integer({ min: 1, max: 64 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(values, values, fc.infiniteStream(fc.nat()), (rows, columns, random) => {
        const { axes, runs } = runsOf(`groupSize=${rows.join()};seed=${columns.join()}`);
        const shuffled = runs
          .map((run) => ({ run, at: random.next().value }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ run }) => run);
        const grid = sweepGrid(shuffled, axes, {}, EM);
        expect([grid.rows, grid.columns]).toEqual([rows.map(String), columns.map(String)]);
        expect(grid.cells.map(({ name }) => name)).toEqual(
          rows.flatMap((row) => columns.map((column) => `group ${row} · seed ${column}`)),
        );
        expect(grid.cells.map(({ run }) => [run?.settings.groupSize, run?.settings.seed])).toEqual(
          rows.flatMap((row) => columns.map((column) => [row, column])),
        );
      }),
      { numRuns: 6 },
    );
  });

  it('of one setting is one row without a name', () => {
    const { axes, runs } = runsOf('lr=1e-4,3e-4,0.01');
    const { rowName, columnName, rows, columns, cells } = sweepGrid(runs, axes, {}, EM);
    expect([rowName, columnName, rows, columns]).toEqual([
      null,
      'lr',
      [''],
      ['1e-4', '3e-4', '0.01'],
    ]);
    expect(cells.map(({ name }) => name)).toEqual(['lr 1e-4', 'lr 3e-4', 'lr 0.01']);
  });

  it('marks the best, and tints by what the numbers are among themselves', () => {
    const { axes, runs } = runsOf('groupSize=4,8;seed=1,2');
    const { cells } = sweepGrid(runs, axes, scores(0.5, 0.75, 0.25, 0.75), EM);
    expect(cells.map(({ text }) => text)).toEqual(['50.0 %', '75.0 %', '25.0 %', '75.0 %']);
    expect(cells.map(({ best }) => best)).toEqual([false, true, false, true]);
    const [half = 0, most = 0, least = 0] = cells.map(({ tint }) => tint);
    expect(least).toBeLessThan(half);
    expect(half).toBeLessThan(most);
    expect(half - least).toBeCloseTo(most - half);
    expect(most).toBeLessThan(1);
  });

  it('calls the least seconds the best, and none where all are the same', () => {
    const { axes, runs } = runsOf('seed=1,2');
    const steps = { 'run-0': scored('run-0', 0.5, 30), 'run-1': scored('run-1', 0.5, 10) };
    const seconds = sweepGrid(runs, axes, steps, metricOf('seconds'));
    expect(seconds.cells.map(({ best }) => best)).toEqual([false, true]);
    expect(seconds.cells[0]?.text).toMatch(/^\d.* s$/);
    expect(sweepGrid(runs, axes, steps, EM).cells.map(({ best }) => best)).toEqual([false, false]);
  });

  it('writes a change in points with its sign', () => {
    const { axes, runs } = runsOf('seed=1,2');
    const { cells } = sweepGrid(runs, axes, scores(0.5, 0.125), metricOf('gain'));
    expect(cells.map(({ text }) => text)).toEqual(['+25.0', '−12.5']);
  });

  it('compares no number of a run that failed', () => {
    const { axes, runs } = runsOf('seed=1,2', (i) =>
      i === 0 ? { status: 'failed', step: 3 } : {},
    );
    const { cells } = sweepGrid(runs, axes, scores(0.75, 0.5), EM);
    expect(cells.map(({ value, text, best }) => ({ value, text, best }))).toEqual([
      { value: null, text: '⚠ failed', best: false },
      { value: 0.5, text: '50.0 %', best: false },
    ]);
  });

  it('says of each run what it does, and its number only when it has ended', () => {
    const states: Partial<RunRecord>[] = [
      { status: 'running', step: 5 },
      { status: 'paused', step: 0 },
      { status: 'paused', step: 7 },
      { status: 'failed', step: 3 },
      { status: 'stopped', step: 10 },
      { status: 'finished', step: 20, deletedAt: '2026-01-02T00:00:00.000Z' },
      { status: 'finished' },
    ];
    const { axes, runs } = runsOf('seed=1,2,3,4,5,6,7,8', (i) => states[i] ?? {});
    const there = runs.filter(({ id }) => id !== 'run-7');
    // The failed one was never scored.
    const { 'run-3': _, ...known } = scores(0.5, 0.5, 0.5, 0.5, 0.5, 0.9);
    const { cells } = sweepGrid(there, axes, known, EM);
    expect(cells.map(({ state, text, done }) => [state, text, done])).toEqual([
      ['running', '5 / 20', 0.25],
      ['waiting', 'waits', 0],
      ['waiting', 'paused at 7', 0.35],
      ['failed', '⚠ failed', 0.15],
      ['stopped', '50.0 %', 0.5],
      ['dropped', 'dropped', 1],
      ['finished', '–', 1],
      ['dropped', 'dropped', 0],
    ]);
    expect(cells.map(({ value }) => value)).toEqual([
      null,
      null,
      null,
      null,
      0.5,
      null,
      null,
      null,
    ]);
    expect(cells[0]).toMatchObject({ tint: 0, best: false });
  });

  it('shows the newest of two runs at one place', () => {
    const { axes, runs } = runsOf('seed=1,2');
    const again = { ...runs.find(({ id }) => id === 'run-0')!, id: 'run-9' };
    const { cells } = sweepGrid([again, ...runs], axes, {}, EM);
    expect(cells.map(({ run }) => run?.id)).toEqual(['run-9', 'run-1']);
  });

  it('of an unknown number shows the first of the list', () => {
    expect(metricOf('no such number').id).toBe('em');
    expect(metricOf('f1').title).toContain('F1');
  });
});

describe('the time to the end of a sweep', () => {
  const left = (
    rest: Partial<RunRecord>[],
    steps: Record<string, TrainStep[]>,
    etaSeconds: number | null = null,
  ) => {
    const { axes, runs } = runsOf('seed=1,2', (i) => rest[i] ?? {});
    const progress = Object.fromEntries(
      runs.map(({ id }) => [id, { etaSeconds }]),
    ) as unknown as Parameters<typeof leftOf>[1]['progress'];
    return leftOf(sweepGrid(runs, axes, steps, EM).cells, { steps, progress });
  };

  it('is not known before the first step', () => {
    expect(
      left(
        [
          { status: 'paused', step: 0 },
          { status: 'paused', step: 0 },
        ],
        {},
      ),
    ).toBeNull();
  });

  it('is nothing where all have ended', () => {
    expect(left([], scores(0.5, 0.5))).toBe(0);
  });

  it('of a run that waits is as long as one that was made; the one that trains knows its own', () => {
    const whole = Array.from({ length: 20 }, (_, i) => trainStep(i + 1, 'run-0'));
    const waits = left([{}, { status: 'paused', step: 0 }], { 'run-0': whole }) ?? 0;
    // 20 steps of 7.1 s and the scores before the first step.
    expect(waits).toBeGreaterThan(20 * 7.1);
    expect(waits).toBeLessThan(2 * 20 * 7.1);
    expect(left([{}, { status: 'running', step: 19 }], { 'run-0': whole }, 12)).toBe(12);
  });
});
