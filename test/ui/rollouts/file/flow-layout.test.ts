import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { END_NAMES, ENDS, flowOf, type End } from '../../../../src/evaluate/rollouts/why.ts';
import {
  BAR,
  bandPath,
  flowLayout,
  lossPath,
} from '../../../../src/ui/rollouts/file/flow-layout.ts';

const flows = fc
  .array(fc.option(fc.constantFrom(...END_NAMES)), { maxLength: 200 })
  .map((ends) => flowOf(ends));
const widths = fc.integer({ min: 280, max: 1200 });

const many = (count: number, end: End | null): (End | null)[] =>
  Array.from({ length: count }, () => end);

const numbersIn = (path: string): number[] => [...path.matchAll(/-?[\d.]+/g)].map(Number);

describe('the flow from question to answer', () => {
  it('loses at each stage what it says, and ends with those that are right', () => {
    const { stages } = flowLayout(
      flowOf([
        ...many(10, 'not-asked'),
        ...many(20, 'not-found'),
        ...many(5, 'not-read'),
        ...many(1, 'not-answered'),
        ...many(4, 'right'),
        ...many(7, null),
      ]),
      572,
    );
    expect(stages.map(({ name, count, width, lost }) => [name, count, width, lost?.count])).toEqual(
      [
        ['rollouts', 40, 400, 10],
        ['asked for', 30, 300, 20],
        ['found', 10, 100, 5],
        ['read', 5, 50, 1],
        ['right', 4, 40, undefined],
      ],
    );
    expect(stages.map(({ lost }) => lost?.name)).toEqual([
      ENDS['not-asked'],
      ENDS['not-found'],
      ENDS['not-read'],
      ENDS['not-answered'],
      undefined,
    ]);
  });

  it('is drawn to one scale: what is lost is as wide as the step between two bars', () => {
    fc.assert(
      fc.property(flows, widths, (flow, width) => {
        const { stages } = flowLayout(flow, width);
        for (const [i, stage] of stages.entries()) {
          const next = stages[i + 1];
          const lost = stage.count - (next?.count ?? stage.count);
          expect(stage.lost?.count ?? 0).toBe(lost);
          if (!stage.lost || !next) continue;
          expect(stage.lost.to).toBeCloseTo(stage.width);
          expect(stage.lost.from).toBeCloseTo(next.width);
        }
      }),
    );
  });

  it('stands within the picture, with room for the names of what was lost', () => {
    fc.assert(
      fc.property(flows, widths, (flow, width) => {
        const { stages, height, labels } = flowLayout(flow, width);
        expect(labels).toBeLessThanOrEqual(width - 90);
        const wrong = stages.flatMap((stage, i) => {
          const next = stages[i + 1];
          const path = stage.lost ? numbersIn(lossPath(stage, stage.lost, labels)) : [];
          const fits =
            stage.width <= labels + 1e-9 &&
            // Its name stands above the bar.
            stage.y >= 14 &&
            stage.y + BAR <= height &&
            (stage.lost?.y ?? 0) + 13 <= height &&
            (!next || stage.y + BAR < next.y - 12) &&
            path.every((one) => one >= 0 && one <= Math.max(height, labels + 4));
          return fits ? [] : [stage.name];
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('draws nothing turning aside where nothing was lost', () => {
    const { stages } = flowLayout(flowOf(many(3, 'right')), 600);
    expect(stages.map(({ lost }) => lost)).toEqual([null, null, null, null, null]);
    expect(new Set(stages.map(({ width }) => width)).size).toBe(1);
  });

  it('of no rollouts has bars of no width', () => {
    const { stages } = flowLayout(flowOf(many(4, null)), 600);
    expect(stages.map(({ count, width }) => [count, width])).toEqual(
      many(5, null).map(() => [0, 0]),
    );
  });

  it('goes straight down as wide as what goes on', () => {
    const { stages } = flowLayout(flowOf([...many(3, 'right'), ...many(1, 'not-asked')]), 572);
    const [all, asked] = stages;
    if (!all || !asked) throw new Error('there are five stages');
    expect(numbersIn(bandPath(all, asked))).toEqual([0, all.y + BAR, 300, asked.y, 0]);
  });
});
