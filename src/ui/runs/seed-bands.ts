import type { RunRecord } from '../../lab/contract/records/runs.ts';
import type { Point } from '../kit/charts/downsample.ts';

/** Runs that differ only in their seed, as one line with a band. */

/** All settings except the seed. */
const keyOf = ({ settings, setup, policy }: RunRecord, changed: string | null): string => {
  const { seed: _, ...rest } = settings;
  return JSON.stringify([rest, setup ?? null, policy, changed]);
};

/**
 * Indices of runs that share all settings except the seed; a single run is a group of one. In run
 * order.
 * @param changed changes of a run during training, as text; null: none
 */
export const seedGroups = (
  runs: readonly RunRecord[],
  changed: (run: RunRecord) => string | null = () => null,
): number[][] => {
  const groups = new Map<string, number[]>();
  for (const [place, run] of runs.entries()) {
    const key = keyOf(run, changed(run));
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  return [...groups.values()].flatMap((places) => {
    const seeds = new Set(places.map((place) => runs[place]?.settings.seed));
    return seeds.size > 1 ? [places] : places.map((place) => [place]);
  });
};

/** Several runs as one line. */
export interface Band {
  points: Point[];
  /** Lowest and highest run at a step. */
  interval: Map<number, readonly [low: number, high: number]>;
}

/** Mean and range over runs at the steps measured in all of them. */
export const bandOf = (lines: readonly (readonly Point[])[]): Band => {
  const values = new Map<number, number[]>();
  for (const line of lines)
    for (const { x, y } of line) values.set(x, [...(values.get(x) ?? []), y]);
  const whole = [...values].filter(([, each]) => each.length === lines.length);
  return {
    points: whole
      .map(([x, each]) => ({ x, y: each.reduce((sum, y) => sum + y, 0) / each.length }))
      .toSorted((a, b) => a.x - b.x),
    interval: new Map(whole.map(([x, each]) => [x, [Math.min(...each), Math.max(...each)]])),
  };
};
