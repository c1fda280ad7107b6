import { describe, expect, it } from 'vitest';
import { applyView, PLAIN_LOOK, smooth, zoomed } from '../../../../src/ui/kit/charts/chart-view.ts';
import { bandBuckets } from '../../../../src/ui/kit/charts/downsample.ts';
import { planChart } from '../../../../src/ui/kit/charts/plan.ts';
import type { ChartSpec } from '../../../../src/ui/kit/charts/series.ts';

const points = [0, 4, 8, 2].map((y, i) => ({ x: i + 1, y }));
const spec: ChartSpec = {
  id: 'c',
  title: 'C',
  note: '',
  unit: 'number',
  kind: 'lines',
  include: [0],
  series: [{ id: 's', name: 's', colour: 0, points }],
  empty: '',
};

describe('how charts are looked at', () => {
  it('smooths by a moving average whose start is corrected, and keeps what was measured', () => {
    // Weight 0.5: sums 0, 2, 5, 3.5 over 0.5, 0.75, 0.875, 0.9375.
    expect(smooth(points, 0.5).map(({ y }) => Number(y.toFixed(4)))).toEqual([
      0, 2.6667, 5.7143, 3.7333,
    ]);
    const soft = applyView(spec, { ...PLAIN_LOOK, smoothing: 0.5 });
    expect(soft.series[0]?.points).toEqual(points);
    const plan = planChart(soft);
    expect(plan?.lines[0]?.at(-1)?.y).toBeCloseTo(3.7333, 4);
    expect(plan?.behind[0]?.map(({ y }) => y)).toEqual([0, 4, 8, 2]);
  });

  it('leaves scores of few steps as they were measured', () => {
    const sparse = { ...spec, series: spec.series.map((one) => ({ ...one, sparse: true })) };
    expect(
      applyView(sparse, { ...PLAIN_LOOK, smoothing: 0.9 }).series[0]?.smoothed,
    ).toBeUndefined();
  });

  it('has powers of ten for what is above 0, and none for a stack', () => {
    const log = applyView(spec, { ...PLAIN_LOOK, log: true });
    expect(log.series[0]?.points.map(({ y }) => y)).toEqual([4, 8, 2]);
    expect(planChart(log)?.axis).toMatchObject({ log: true, low: 1, high: 10 });
    const stack = { ...spec, kind: 'stack' as const };
    expect(applyView(stack, { ...PLAIN_LOOK, log: true }).log).toBe(false);
  });

  it('zooms to steps without moving the smoothed line', () => {
    const soft = applyView(spec, { smoothing: 0.5, log: false, span: [3, 4] });
    expect(soft.series[0]?.points).toEqual(points.slice(2));
    expect(soft.series[0]?.smoothed?.[0]?.y).toBeCloseTo(5.7143, 4);
    expect(applyView(spec, { ...PLAIN_LOOK, span: [90, 99] }).series).toEqual([]);
  });

  it('zooms by keys around a step, and out again to all of them', () => {
    expect(zoomed([0, 100], [0, 100], 50, 'in')).toEqual([25, 75]);
    expect(zoomed([0, 100], [0, 100], 100, 'in')).toEqual([50, 100]);
    expect(zoomed([50, 100], [0, 100], 100, 'out')).toBeNull();
  });
});

it('a band of many steps keeps its widest reach', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({
    x: i,
    y: 1,
    interval: [i === 500 ? -5 : 0, 2] as const,
  }));
  const drawn = bandBuckets(many, 100);
  expect(drawn).toHaveLength(101);
  expect(Math.min(...drawn.map(({ interval }) => interval?.[0] ?? 0))).toBe(-5);
  expect(drawn.at(-1)).toEqual(many.at(-1));
});
