import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  linearAxis,
  logAxis,
  placeOf,
  spreadLabels,
  stepTicks,
} from '../../../src/ui/kit/charts/axis.ts';
import { envelopeBuckets, meanBuckets, type Point } from '../../../src/ui/kit/charts/downsample.ts';
import { endLabels, planChart } from '../../../src/ui/kit/charts/plan.ts';
import { allX, nearestIndex, valueAt, type ChartSpec } from '../../../src/ui/kit/charts/series.ts';
import { formatTick, formatValue } from '../../../src/ui/kit/charts/units.ts';

const pointsOf = (values: readonly number[]): Point[] =>
  values.map((y, index) => ({ x: index + 1, y }));

const values = (minLength: number) =>
  fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength, maxLength: 400 });

describe('fewer points for the same picture', () => {
  it('draws few points one by one, without those that are not finite', () => {
    expect(envelopeBuckets(pointsOf([1, NaN, 3]), 10)).toEqual([
      { x: 1, y: 1 },
      { x: 3, y: 3 },
    ]);
  });

  it('keeps mean, lowest and highest of each bucket and the last point', () => {
    expect(envelopeBuckets(pointsOf([0, 4, 2, 6, 10, 2, 7]), 2)).toEqual([
      { x: 2, y: 2, interval: [0, 4] },
      { x: 5, y: 6, interval: [2, 10] },
      { x: 7, y: 7 },
    ]);
  });

  it('never loses a peak, keeps the order, and is bounded', () => {
    fc.assert(
      fc.property(values(50), fc.integer({ min: 2, max: 20 }), (ys, buckets) => {
        const drawn = envelopeBuckets(pointsOf(ys), buckets);
        expect(drawn.length).toBeLessThanOrEqual(2 * buckets);
        const all = drawn.flatMap(({ y, interval }) => interval ?? [y]);
        expect(Math.max(...all)).toBe(Math.max(...ys));
        expect(Math.min(...all)).toBe(Math.min(...ys));
        expect(drawn.every((point, i) => i === 0 || drawn[i - 1]!.x < point.x)).toBe(true);
        expect(drawn.at(-1)).toEqual({ x: ys.length, y: ys.at(-1) });
      }),
    );
  });

  it('keeps the sum of a stack in every bucket', () => {
    const rows = [1, 2, 3, 4].map((x) => ({ x, parts: [x, 10 - x] }));
    expect(meanBuckets(rows, 2)).toEqual([
      { x: 1.5, parts: [1.5, 8.5] },
      { x: 3.5, parts: [3.5, 6.5] },
    ]);
  });
});

describe('axes', () => {
  it('has round ticks that enclose the values', () => {
    expect(linearAxis(0, 0.83).ticks).toEqual([0, 0.5, 1]);
    expect(linearAxis(0.62, 0.87).ticks).toEqual([0.6, 0.7, 0.8, 0.9]);
    expect(linearAxis(0, 0).ticks).toEqual([0, 0.5, 1]);
    fc.assert(
      fc.property(values(2), (ys) => {
        const [low, high] = [Math.min(...ys), Math.max(...ys)];
        const axis = linearAxis(low, high);
        const slack = 1e-6 * (axis.high - axis.low);
        expect(axis.low).toBeLessThanOrEqual(low + slack);
        expect(axis.high).toBeGreaterThanOrEqual(high - slack);
        expect(axis.ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it('places values on powers of ten', () => {
    const axis = logAxis(3e-7, 4e-5);
    expect([axis.low, axis.high]).toEqual([1e-7, 1e-4]);
    expect(placeOf(axis, 1e-4)).toBeCloseTo(1);
    expect(placeOf(axis, 10 ** -5.5)).toBeCloseTo(0.5);
  });

  it('begins and ends the steps where they begin and end', () => {
    expect(stepTicks(1, 100)).toEqual([1, 20, 40, 60, 80, 100]);
    expect(stepTicks(1, 101)).toEqual([1, 20, 40, 60, 80, 101]);
    expect(stepTicks(7, 7)).toEqual([7]);
  });

  it('moves labels apart, in order, no farther than needed', () => {
    expect(spreadLabels([10, 12, 80], 13, 0, 100)).toEqual([10, 23, 80]);
    expect(spreadLabels([95, 99], 13, 0, 100)).toEqual([87, 100]);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 6 }),
        (ys) => {
          const placed = spreadLabels(ys, 13, 0, 100).toSorted((a, b) => a - b);
          for (const [i, y] of placed.entries()) {
            expect(y).toBeGreaterThanOrEqual(-1e-9);
            expect(y).toBeLessThanOrEqual(100 + 1e-9);
            if (i > 0) expect(y - placed[i - 1]!).toBeGreaterThanOrEqual(13 - 1e-9);
          }
        },
      ),
    );
  });
});

const chart = (kind: ChartSpec['kind'], ...series: number[][]): ChartSpec => ({
  id: 'c',
  title: 'c',
  note: '',
  unit: 'number',
  kind,
  empty: '',
  series: series.map((ys, index) => ({
    id: String(index),
    name: String(index),
    colour: index,
    points: pointsOf(ys),
  })),
});

describe('the plan of a chart', () => {
  it('draws a bounded number of points, however many there are', () => {
    const long = Array.from({ length: 10_000 }, (_, i) => Math.sin(i));
    const plan = planChart(chart('lines', long, long));
    expect(plan?.lines.flat().length).toBeLessThan(1000);
    expect(plan?.span).toEqual([1, 10_000]);
  });

  it('stands a stack on zero up to its sum', () => {
    const plan = planChart(chart('stack', [3, 4], [5, 5]));
    expect([plan?.axis.low, plan?.axis.high]).toEqual([0, 10]);
    // The middle of each layer at the last step: 2 and 6.5 of 10, from the top of 100 pixels.
    expect(endLabels(chart('stack', [3, 4], [5, 5]), plan!, 100).map(({ y }) => y)).toEqual([
      80, 35,
    ]);
  });

  it('has nothing to draw without points', () => {
    expect(planChart(chart('lines', []))).toBeNull();
  });
});

describe('reading a chart', () => {
  const points = [2, 5, 9].map((x) => ({ x, y: x * 10 }));

  it('finds the nearest measurement, and only a real one by its step', () => {
    expect([0, 3, 4, 8, 99].map((x) => nearestIndex(points, x))).toEqual([0, 0, 1, 2, 2]);
    expect(nearestIndex([], 3)).toBe(-1);
    expect(valueAt(points, 5)).toBe(50);
    expect(valueAt(points, 6)).toBeNull();
  });

  it('lists every step of any series once, in order', () => {
    expect(
      allX([
        { id: 'a', name: 'a', colour: 0, points },
        { id: 'b', name: 'b', colour: 1, points: pointsOf([1, 1]) },
      ]),
    ).toEqual([1, 2, 5, 9]);
  });

  it('writes values with their units', () => {
    expect(formatValue(0.8526, 'share')).toBe('85.3 %');
    // The label at the end of "clipped": rounded to one decimal it would claim a third more.
    expect(formatValue(0.00155, 'share')).toBe('0.155 %');
    expect(formatValue(-0.151, 'number')).toBe('−0.151');
    expect(formatTick(-0.3, 'share')).toBe('−30\u00a0%');
    expect(formatValue(3.2e-5, 'nats')).toBe('3.2e−5');
    expect(formatValue(null, 'share')).toBe('–');
    expect(formatTick(0.3, 'share')).toBe('30\u00a0%');
    expect(formatTick(20, 'seconds')).toBe('20\u00a0s');
  });
});
