import { mean } from '../../base/statistics.ts';
import type { EvaluatedQuestion, EvaluatedRollout, EvaluationResult } from './result.ts';
import type { MeasureId } from './table/measures.ts';
import type { SystemsTable } from './table/shape.ts';
import { SystemValues } from './table/values.ts';

/** What the pictures of an evaluation draw. */

/** A system in the plane of quality against cost. */
export interface FrontierPoint {
  system: string;
  cost: number;
  quality: number;
  /** No system has more quality at the same cost or less, nor the same quality at less cost (Pareto). */
  onFrontier: boolean;
}

/** Systems of a table by quality and cost, those without either left out; the cheapest first. */
export function frontierOf(
  { rows }: SystemsTable,
  cost: MeasureId,
  quality: MeasureId = 'em',
): FrontierPoint[] {
  const of = (row: SystemsTable['rows'][number], measure: MeasureId): number | null =>
    row.cells.find((cell) => cell.measure === measure)?.value?.mean ?? null;
  const points = rows.flatMap((row) => {
    const [x, y] = [of(row, cost), of(row, quality)];
    return x === null || y === null ? [] : [{ system: row.system, cost: x, quality: y }];
  });
  return points
    .map((point) => ({
      ...point,
      onFrontier: !points.some(
        (other) =>
          other.cost <= point.cost &&
          other.quality >= point.quality &&
          (other.cost < point.cost || other.quality > point.quality),
      ),
    }))
    .toSorted((a, b) => a.cost - b.cost || b.quality - a.quality);
}

/** How far a system's retrieval got along the chains. */
export interface Survival {
  system: string;
  /**
   * Of rollouts on questions with at least `hop` steps: those that retrieved the first `hop` of them, and those
   * of which this is the first step that they did not retrieve.
   */
  hops: { hop: number; of: number; alive: number; lost: number }[];
  /** Of rollouts that retrieved the whole chain, and of the others: how many, and how many were right. */
  whole: { of: number; right: number };
  broken: { of: number; right: number };
}

/** Where rollouts are lost: at a hop, the first being 1; or in the answer, with the whole chain retrieved or not. */
export type FailurePoint = number | 'whole' | 'broken';

const isLostAt = ({ hopsFound, em }: EvaluatedRollout, at: FailurePoint): boolean => {
  if (typeof at === 'number') return hopsFound.indexOf(false) === at - 1;
  const whole = hopsFound.every(Boolean);
  return hopsFound.length > 0 && em !== 1 && whole === (at === 'whole');
};

/** A system's rollouts that were lost there, in the order of the result. */
export const lostAt = (
  { rollouts }: EvaluationResult,
  of: string,
  at: FailurePoint,
): EvaluatedRollout[] => rollouts.filter((one) => one.system === of && isLostAt(one, at));

export function survivalOf({ systems, rollouts }: EvaluationResult): Survival[] {
  return systems.map(({ id }) => {
    const chains = rollouts.filter(
      ({ system, hopsFound }) => system === id && hopsFound.length > 0,
    );
    const longest = Math.max(0, ...chains.map(({ hopsFound }) => hopsFound.length));
    const counted = (list: readonly EvaluatedRollout[]) => ({
      of: list.length,
      right: list.filter(({ em }) => em === 1).length,
    });
    return {
      system: id,
      hops: Array.from({ length: longest }, (_, i) => {
        const long = chains.filter(({ hopsFound }) => hopsFound.length > i);
        const alive = long.filter(({ hopsFound }) => hopsFound.slice(0, i + 1).every(Boolean));
        const lost = long.filter((one) => isLostAt(one, i + 1));
        return { hop: i + 1, of: long.length, alive: alive.length, lost: lost.length };
      }),
      whole: counted(chains.filter(({ hopsFound }) => hopsFound.every(Boolean))),
      broken: counted(chains.filter(({ hopsFound }) => !hopsFound.every(Boolean))),
    };
  });
}

/** One system on one question. */
export interface GridCell {
  system: string;
  /** Of its rollouts over seeds; the first is opened. */
  rollouts: readonly EvaluatedRollout[];
  /** Share of them that are right (EM); null where none is there. */
  right: number | null;
  /** Whether one of them retrieved all evidence that the question names; null where it names none. */
  retrieved: boolean | null;
}

export interface GridRow {
  question: EvaluatedQuestion;
  cells: GridCell[];
  /** Share of the systems with a rollout that are right more often than not. */
  solved: number | null;
  /** Variance of `right` over systems, 0 to 0.25: how far systems part on it. */
  disagreement: number;
}

/** By the steps of the chain, else by the supporting titles: imported questions name these alone. Null where neither is named. */
function foundAll({ hopsFound, recall }: EvaluatedRollout): boolean | null {
  if (hopsFound.length > 0) return hopsFound.every(Boolean);
  return recall === null ? null : recall === 1;
}

/** Questions by systems, in the order of the result. */
export function gridOf(result: EvaluationResult): GridRow[] {
  const values = new SystemValues(result);
  return result.questions.map((question) => {
    const cells = result.systems.map(({ id }): GridCell => {
      const rollouts = values.rollouts(id, question.id);
      const found = rollouts.flatMap((one) => foundAll(one) ?? []);
      return {
        system: id,
        rollouts,
        right: rollouts.length === 0 ? null : mean(rollouts.map(({ em }) => em)),
        retrieved: found.length === 0 ? null : found.includes(true),
      };
    });
    const shares = cells.flatMap(({ right }) => right ?? []);
    const centre = mean(shares);
    return {
      question,
      cells,
      solved: shares.length === 0 ? null : mean(shares.map((one) => Number(one > 0.5))),
      disagreement: mean(shares.map((one) => (one - centre) ** 2)),
    };
  });
}

/** Questions on which systems part, the widest first; those on which all agree are left out. */
export const disagreementsOf = (grid: readonly GridRow[]): GridRow[] =>
  grid
    .filter(({ disagreement }) => disagreement > 0)
    .toSorted((a, b) => b.disagreement - a.disagreement);
