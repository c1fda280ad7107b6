import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { END_NAMES, ENDS, flowOf, type End } from '../../../../src/evaluate/rollouts/why.ts';
import {
  BAR,
  bandPath,
  branchPath,
  flowLayout,
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
        ...many(8, 'not-asked'),
        ...many(2, 'right-unread'),
        ...many(20, 'not-found'),
        ...many(5, 'not-read'),
        ...many(1, 'not-answered'),
        ...many(4, 'right'),
        ...many(7, null),
      ]),
      572,
    );
    expect(
      stages.map(({ name, count, width, branches }) => [
        name,
        count,
        width,
        ...branches.map((branch) => `${branch.count} ${branch.name}`),
      ]),
    ).toEqual([
      // What is right without evidence was neither asked for nor found.
      ['rollouts', 40, 400, `2 ${ENDS['right-unread']}`, `8 ${ENDS['not-asked']}`],
      ['asked for', 30, 300, `20 ${ENDS['not-found']}`],
      ['found', 10, 100, `5 ${ENDS['not-read']}`],
      ['read', 5, 50, `1 ${ENDS['not-answered']}`],
      ['right', 4, 40],
    ]);
  });

  it('is drawn to one scale: what is lost is as wide as the step between two bars', () => {
    fc.assert(
      fc.property(flows, widths, (flow, width) => {
        const { stages } = flowLayout(flow, width);
        for (const [i, stage] of stages.entries()) {
          const next = stages[i + 1];
          const lost = stage.count - (next?.count ?? stage.count);
          expect(stage.branches.reduce((sum, { count }) => sum + count, 0)).toBe(lost);
          if (!next) continue;
          // One beside the other, from the end of this bar to the end of the next.
          let end = stage.width;
          for (const { from, to } of stage.branches) {
            expect(to).toBeCloseTo(end);
            end = from;
          }
          expect(end).toBeCloseTo(next.width);
        }
      }),
    );
  });

  it('stays within the picture, with room for the names of the branches', () => {
    fc.assert(
      fc.property(flows, widths, (flow, width) => {
        const { stages, height, labels } = flowLayout(flow, width);
        expect(labels).toBeLessThanOrEqual(width - 90);
        const wrong = stages.flatMap((stage, i) => {
          const next = stages[i + 1];
          const path = stage.branches.flatMap((one) => numbersIn(branchPath(stage, one, labels)));
          const names = stage.branches.map((one) => one.y);
          const fits =
            stage.width <= labels + 1e-9 &&
            // Its name is above the bar.
            stage.y >= 14 &&
            stage.y + BAR <= height &&
            names.every((one) => one + 13 <= height && (!next || one + 13 <= next.y + BAR)) &&
            // No name lies over another.
            names.every((one, at) => at === 0 || one - (names[at - 1] ?? 0) >= 26) &&
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
    expect(stages.flatMap(({ branches }) => branches)).toEqual([]);
    expect(new Set(stages.map(({ width }) => width)).size).toBe(1);
  });

  it('of no rollouts has bars of no width', () => {
    const { stages } = flowLayout(flowOf(many(4, null)), 600);
    expect(stages.map(({ count, width }) => [count, width])).toEqual(
      many(5, null).map(() => [0, 0]),
    );
  });

  it('goes straight down as wide as the next stage', () => {
    const { stages } = flowLayout(flowOf([...many(3, 'right'), ...many(1, 'not-asked')]), 572);
    const [all, asked] = stages;
    if (!all || !asked) throw new Error('there are five stages');
    expect(numbersIn(bandPath(all, asked))).toEqual([0, all.y + BAR, 300, asked.y, 0]);
  });
});
