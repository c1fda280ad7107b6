import { groupBy } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { CurvePoint } from './course-point.ts';
import { csvText } from '../../base/table-text.ts';

/** How trainings went, step by step. */

/** The curve of one training of an arm. */
export interface Curve {
  arm: string;
  seed: number;
  trainWorld: string;
  points: readonly CurvePoint[];
}

const HEAD = [
  'arm',
  'seed',
  'trained_on',
  'step',
  'reward',
  'em',
  'searches',
  'held_out_n',
  'held_out_em',
  'held_out_f1',
  'held_out_searches',
  'seconds',
];

/**
 * All curves as comma-separated values, a line per step; empty where a step has no such number. Fallbacks have a column
 * where a training counted them.
 */
export function curvesCsv(curves: readonly Curve[]): string {
  const counted = curves.some(({ points }) =>
    points.some(({ fallbacks }) => fallbacks !== undefined),
  );
  return csvText([
    [...HEAD, ...(counted ? ['fallbacks'] : [])],
    ...curves.flatMap(({ arm, seed, trainWorld, points }) =>
      points.map((point) => {
        const { step, reward, em, searches, heldOut, seconds } = point;
        const own = [arm, seed, trainWorld, step, reward, em, searches];
        const scored = [heldOut?.n, heldOut?.em, heldOut?.f1, heldOut?.searches, seconds];
        const last = counted ? [point.fallbacks] : [];
        return [...own, ...scored, ...last].map((value) => value ?? '');
      }),
    ),
  ]);
}

/** [step, value] */
export type Line = readonly (readonly [number, number])[];

export interface ArmLines {
  arm: string;
  /** Over the runs, at the steps that all of them have. */
  mean: Line;
  runs: Line[];
}

/** Lines of one measure by arm. */
export function linesOf(
  curves: readonly Curve[],
  measure: (point: CurvePoint) => number | null,
): ArmLines[] {
  return [...groupBy(curves, ({ arm }) => arm)].map(([arm, own]) => {
    const runs = own.map(({ points }) =>
      points.flatMap((point): [number, number][] => {
        const value = measure(point);
        return value === null ? [] : [[point.step, value]];
      }),
    );
    const byStep = groupBy(runs.flat(), ([step]) => step);
    const shared = [...byStep].filter(([, points]) => points.length === runs.length);
    return {
      arm,
      runs,
      mean: shared
        .map(([step, points]) => [step, mean(points.map(([, value]) => value))] as const)
        .toSorted(([a], [b]) => a - b),
    };
  });
}
