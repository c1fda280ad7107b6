import { describe, expect, it } from 'vitest';
import { comparedCharts } from '../../../src/ui/runs/compare-specs.ts';
import { curveOf } from '../../../src/ui/runs/figures.ts';
import { FIRST_ORDER, matching, ordered, pressed } from '../../../src/ui/runs/list-order.ts';
import { seedGroups } from '../../../src/ui/runs/seed-bands.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';

const seeded = (id: string, seed: number, steps = 10) => {
  const run = runRecord(id, { name: id });
  return { ...run, settings: { ...run.settings, seed, steps } };
};

describe('the list of runs', () => {
  const runs = [
    runRecord('a', { name: 'alpha', step: 3, createdAt: '2026-01-02', tags: ['short'] }),
    runRecord('b', { name: 'Beta', step: 20, createdAt: '2026-01-01', status: 'failed' }),
    runRecord('c', { name: 'gamma', step: 7, createdAt: '2026-01-03' }),
  ];
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join('');

  it('is newest first, and sorted by what is pressed, one way and the other', () => {
    expect(ids(ordered(runs, FIRST_ORDER, {}))).toBe('cab');
    const bySteps = pressed(FIRST_ORDER, 'steps');
    expect(ids(ordered(runs, bySteps, {}))).toBe('bca');
    expect(ids(ordered(runs, pressed(bySteps, 'steps'), {}))).toBe('acb');
    expect(ids(ordered(runs, pressed(FIRST_ORDER, 'name'), {}))).toBe('abc');
  });

  it('puts what was not measured last either way', () => {
    const steps = {
      a: [{ ...trainStep(1, 'a'), em: 0.1 }],
      c: [{ ...trainStep(1, 'c'), em: 0.9 }],
    };
    const down = pressed(FIRST_ORDER, 'last EM');
    expect(ids(ordered(runs, down, steps))).toBe('cab');
    expect(ids(ordered(runs, pressed(down, 'last EM'), steps))).toBe('acb');
  });

  it('is filtered by words of name, recipe, state and tags', () => {
    expect(ids(matching(runs, 'SHORT'))).toBe('a');
    expect(ids(matching(runs, 'kunlun failed'))).toBe('b');
    expect(ids(matching(runs, ' '))).toBe('abc');
    expect(ids(matching(runs, 'nothing'))).toBe('');
  });

  it('draws held-out scores where there are two, else the Training EM', () => {
    const score = { n: 2, em: 0.5, f1: 0, recall: 0, searches: 0, formatValid: 1 };
    const steps = [
      { ...trainStep(1), em: 0.1, heldOutAtStart: score },
      { ...trainStep(2), em: 0.2, heldOut: { ...score, em: 1 } },
    ];
    expect(curveOf(steps).points).toEqual([
      { x: 0, y: 0.5 },
      { x: 2, y: 1 },
    ]);
    expect(curveOf(steps.slice(0, 1))).toEqual({
      name: 'training EM',
      points: [{ x: 1, y: 0.1 }],
    });
  });
});

describe('bands of seeds', () => {
  it('join only runs that differ in nothing but the seed', () => {
    const runs = [seeded('a', 1), seeded('b', 2), seeded('c', 3, 99), seeded('d', 4)];
    expect(seedGroups(runs)).toEqual([[0, 1, 3], [2]]);
    // The same run imported twice is no second seed.
    expect(seedGroups([seeded('a', 1), seeded('b', 1)])).toEqual([[0], [1]]);
  });

  it('are the mean and the range of the steps that all of them made', () => {
    const run = (id: string, ...ems: number[]) => ({
      id,
      letter: id.toUpperCase(),
      colour: 0,
      steps: ems.map((em, i) => ({ ...trainStep(i + 1, id), em })),
    });
    const chart = comparedCharts([run('a', 0.2, 0.4, 0.9), run('b', 0.6, 0.6)], [[0, 1]]).find(
      ({ id }) => id === 'em',
    );
    const [line, ...more] = chart?.series ?? [];
    expect(more).toEqual([]);
    expect(line?.name).toBe('AB');
    expect(line?.points.map(({ x, y }) => [x, Number(y.toFixed(6))])).toEqual([
      [1, 0.4],
      [2, 0.5],
    ]);
    expect(line?.interval?.get(1)).toEqual([0.2, 0.6]);
    expect(chart?.note).toContain('range over seeds');
  });
});
