import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  linearAxis,
  logAxis,
  placeOf,
  spreadLabels,
  stepTicks,
} from '../../../../src/ui/kit/charts/axis.ts';
import { envelopeBuckets, meanBuckets } from '../../../../src/ui/kit/charts/downsample.ts';
import { endLabels, planChart } from '../../../../src/ui/kit/charts/plan.ts';
import {
  allX,
  isEmpty,
  nearestIndex,
  spanOf,
  valueAt,
  type ChartSpec,
  type Series,
} from '../../../../src/ui/kit/charts/series.ts';
import { formatTick, formatValue } from '../../../../src/ui/kit/charts/units.ts';

const series = (id: string, ...points: [x: number, y: number][]): Series => ({
  id,
  name: id,
  colour: 0,
  points: points.map(([x, y]) => ({ x, y })),
});

const spec = (rest: Partial<ChartSpec> = {}): ChartSpec => ({
  id: 'c',
  title: 'C',
  note: '',
  unit: 'number',
  kind: 'lines',
  series: [],
  empty: 'nothing yet',
  ...rest,
});

describe('an axis', () => {
  it.each([
    [0, 1, [0, 0.5, 1]],
    [0, 0.3, [0, 0.1, 0.2, 0.3]],
    [-0.3, 0.7, [-0.5, 0, 0.5, 1]],
    [3, 97, [0, 50, 100]],
    // One value alone is above a foot of zero; what is always 0 lies at it.
    [0.4, 0.4, [0, 0.1, 0.2, 0.3, 0.4]],
    [-2, -2, [-2, -1.5, -1, -0.5, 0]],
    [0, 0, [0, 0.5, 1]],
  ])('over %f … %f has round ticks', (low, high, ticks) => {
    expect(linearAxis(low, high).ticks).toEqual(ticks);
  });

  it('holds all its values between ticks that are its ends', () => {
    // Below this a number is nothing that was measured.
    const value = fc
      .double({ min: -1e6, max: 1e6, noNaN: true })
      .map((one) => (Math.abs(one) < 1e-12 ? 0 : one));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const axis = linearAxis(low, high);
        const slack = 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1e-300);
        expect(axis.low).toBeLessThanOrEqual(low + slack);
        expect(axis.high).toBeGreaterThanOrEqual(high - slack);
        expect(axis.ticks.length).toBeGreaterThanOrEqual(2);
        expect(axis.ticks.length).toBeLessThanOrEqual(7);
        expect(axis.ticks).toEqual(axis.ticks.toSorted((x, y) => x - y));
      }),
    );
  });

  it('of powers of ten has at most five ticks, and never less than a power', () => {
    expect(logAxis(0.002, 0.5)).toEqual({
      low: 0.001,
      high: 1,
      ticks: [0.001, 0.01, 0.1, 1],
      log: true,
    });
    expect(logAxis(1, 1)).toMatchObject({ low: 1, high: 10 });
    expect(logAxis(1e-4, 1e-4).low).toBe(1e-4);
    expect(logAxis(1e-9, 1).ticks.length).toBeLessThanOrEqual(5);
    expect(placeOf(logAxis(0.01, 1), 0.1)).toBeCloseTo(0.5, 12);
    expect(placeOf(linearAxis(0, 4), 1)).toBe(0.25);
  });

  it.each([
    [1, 1, [1]],
    [5, 4, [5]],
    [1, 3, [1, 2, 3]],
    [1, 100, [1, 20, 40, 60, 80, 100]],
    // 1,000 would be on top of 1,003.
    [1, 1003, [1, 500, 1003]],
  ])('of steps %i … %i begins and ends with them', (first, last, ticks) => {
    expect(stepTicks(first, last)).toEqual(ticks);
  });
});

describe('labels', () => {
  it('are at their desired positions while there is room', () => {
    expect(spreadLabels([50, 10, 90], 13, 0, 100)).toEqual([50, 10, 90]);
  });

  it('never overlap and never leave the plot while they fit, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 220 }), { maxLength: 12 }), (wanted) => {
        const placed = spreadLabels(wanted, 10, 0, 200);
        const sorted = placed.toSorted((a, b) => a - b);
        sorted.forEach((at, i) => {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(200);
          if (i > 0) expect(at - (sorted[i - 1] ?? 0)).toBeGreaterThanOrEqual(10 - 1e-9);
        });
        wanted.forEach((one, i) =>
          wanted.forEach((other, j) => {
            if (one < other) expect(placed[i]).toBeLessThan(placed[j] ?? NaN);
          }),
        );
      }),
    );
  });

  it('of a stack are in the middle of their layers', () => {
    const stack = spec({ kind: 'stack', series: [series('low', [1, 2]), series('high', [1, 2])] });
    const plan = planChart(stack);
    // The axis is 0 … 4: the layers' middles lie at 1 and 3.
    expect(plan && endLabels(stack, plan, 100)).toEqual([
      { index: 0, y: 75 },
      { index: 1, y: 25 },
    ]);
  });
});

describe('what is drawn of many measurements', () => {
  const wave = Array.from({ length: 1001 }, (_, i) => ({
    x: i + 1,
    y: i === 500 ? 9 : Math.sin(i),
  }));

  it('is little, keeps every peak, and ends with the last value as it is', () => {
    const drawn = envelopeBuckets(wave, 50);
    expect(drawn).toHaveLength(51);
    expect(drawn.at(-1)).toEqual(wave.at(-1));
    expect(Math.max(...drawn.map(({ interval }) => interval?.[1] ?? 0))).toBe(9);
    for (const { y, interval } of drawn)
      if (interval) expect(y >= interval[0] && y <= interval[1]).toBe(true);
  });

  it('is all of few, without what was not measured', () => {
    const few = [
      { x: 1, y: 2 },
      { x: 2, y: NaN },
      { x: 3, y: 4 },
    ];
    expect(envelopeBuckets(few, 2)).toEqual([few[0], few[2]]);
    expect(envelopeBuckets([], 2)).toEqual([]);
  });

  it('of a stack are means, whose sum is the mean of the sums', () => {
    const rows = Array.from({ length: 10 }, (_, i) => ({ x: i, parts: [i, 10 - i] }));
    const drawn = meanBuckets(rows, 5);
    expect(drawn.map(({ x, parts }) => [x, ...parts].map((v) => Number(v.toFixed(9))))).toEqual([
      [0.5, 0.5, 9.5],
      [2.5, 2.5, 7.5],
      [4.5, 4.5, 5.5],
      [6.5, 6.5, 3.5],
      [8.5, 8.5, 1.5],
    ]);
    expect(meanBuckets(rows, 10)).toEqual(rows);
  });

  it('says how many steps a point combines', () => {
    const many = series('s', ...wave.map(({ x, y }): [number, number] => [x, y]));
    expect(planChart(spec({ series: [many] }))?.stepsAPoint).toBe(8);
    expect(planChart(spec({ series: [series('s', [1, 1], [2, 2])] }))?.stepsAPoint).toBe(1);
    expect(planChart(spec())).toBeNull();
  });
});

describe('the range of a chart', () => {
  const axisOf = (rest: Partial<ChartSpec>) => planChart(spec(rest))?.axis;
  const one = series('s', [1, 0.96], [2, 0.99]);

  it.each<[string, Partial<ChartSpec>, [number, number]]>([
    ['a share does not claim more than all', { unit: 'share', series: [one] }, [0.96, 1]],
    ['what must be in sight is', { series: [series('s', [1, 3], [2, 4])], include: [0] }, [0, 4]],
    [
      'a line to compare with too',
      { series: [series('s', [1, 3], [2, 4])], lines: [{ value: 8, label: '' }] },
      [2, 8],
    ],
    [
      'an interval is not cut off',
      { series: [{ ...series('s', [1, 3], [2, 4]), interval: new Map([[1, [1, 5]]]) }] },
      [1, 5],
    ],
    [
      'a stack stands on zero',
      { kind: 'stack', series: [series('a', [1, 3]), series('b', [1, 1])] },
      [0, 4],
    ],
    [
      'powers of ten have no zero',
      { log: true, series: [series('s', [1, 0], [2, 0.05])] },
      [0.01, 0.1],
    ],
  ])('%s', (_, rest, [low, high]) => {
    const axis = axisOf(rest);
    expect([axis?.low, axis?.high]).toEqual([low, high]);
  });
});

describe('the values at a step', () => {
  const points = series('s', [1, 10], [5, 50], [9, 90]).points;

  it.each([
    [0, 0],
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
    [99, 2],
  ])('the point nearest to %f is number %i', (x, index) => {
    expect(nearestIndex(points, x)).toBe(index);
  });

  it('are those that were measured there, and none between', () => {
    expect([1, 2, 5, 10].map((x) => valueAt(points, x))).toEqual([10, null, 50, null]);
    expect(valueAt([], 1)).toBeNull();
    expect(nearestIndex([], 1)).toBe(-1);
  });

  it('are between the first and last step of any series', () => {
    const both = [series('a', [5, 1], [9, 1]), series('b'), series('c', [2, 1], [5, 1])];
    expect(allX(both)).toEqual([2, 5, 9]);
    expect(spanOf(both)).toEqual([2, 9]);
    expect(spanOf([series('b')])).toBeNull();
    expect([isEmpty(spec({ series: both })), isEmpty(spec({ series: [series('b')] }))]).toEqual([
      false,
      true,
    ]);
  });
});

describe('a value with its unit', () => {
  it.each([
    [0.1234, 'share', '12.3 %', '12.34 %'],
    [-0.5, 'share', '−50.0 %', '−50 %'],
    [1.5, 'seconds', '1.50 s', '1.5 s'],
    [250, 'ms', '250 ms', '250 ms'],
    [2500, 'ms', '2.50 s', '2,500 ms'],
    [0.0001, 'nats', '1e−4', '1e−4'],
    [1234, 'tokens', '1,234', '1,234'],
  ] as const)('%f %s reads %s, at a tick %s', (value, unit, words, tick) => {
    expect(formatValue(value, unit)).toBe(words);
    // A number and its unit stay on one line.
    expect(formatTick(value, unit)).toBe(tick.replace(' ', '\u00a0'));
  });

  it('that was not measured is a dash', () => {
    expect([formatValue(null, 'ms'), formatValue(NaN, 'share')]).toEqual(['–', '–']);
  });
});
