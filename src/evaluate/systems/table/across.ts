import { itemAt } from '../../../base/items.ts';
import type { Interval } from '../../bootstrap.ts';
import type { EvaluatedRollout, EvaluatedSystem, EvaluationResult } from '../result.ts';
import { holm } from './holm.ts';
import { MEASURES, type MeasureId } from './measures.ts';
import type { Difference } from './shape.ts';
import { systemsTables, type TableOptions } from './table.ts';

/** The same systems in two evaluations: what changed from the one to the other. */

interface AcrossCell {
  measure: MeasureId;
  before: Interval | null;
  after: Interval | null;
  /** `after − before` over the questions of both; corrected by Holm over the systems. */
  difference: Difference | null;
}

interface AcrossRow {
  /** Id of the system, the same in both. */
  system: string;
  title: string;
  /** In the order of `MEASURES`. */
  cells: AcrossCell[];
}

export interface AcrossTable {
  /** Questions that both ask: of the same id, text and answers. */
  questions: number;
  onlyBefore: number;
  onlyAfter: number;
  rows: AcrossRow[];
  /** Titles of systems that one of them alone has. */
  systemsBefore: string[];
  systemsAfter: string[];
}

const BEFORE = 'before';
const AFTER = 'after';

const renamed = (rollouts: readonly EvaluatedRollout[], system: string, name: string) =>
  rollouts.filter((one) => one.system === system).map((one) => ({ ...one, system: name }));

const questionKey = ({ id, text, answers }: EvaluationResult['questions'][number]): string =>
  JSON.stringify([id, text, answers]);

/** One system as two rows of one evaluation, the earlier as the reference. */
const asRows = (
  before: EvaluationResult,
  after: EvaluationResult,
  system: EvaluatedSystem,
  questions: EvaluationResult['questions'],
): EvaluationResult => ({
  ...before,
  systems: [
    { ...system, id: BEFORE },
    { ...system, id: AFTER },
  ],
  questions,
  rollouts: [
    ...renamed(before.rollouts, system.id, BEFORE),
    ...renamed(after.rollouts, system.id, AFTER),
  ],
  failed: [],
});

/** The differences of a column tested together: one row per system. */
const corrected = (rows: readonly AcrossRow[]): AcrossRow[] => {
  const columns = MEASURES.map((_, at) => {
    const known = rows.flatMap(({ cells }, row) => {
      const difference = cells[at]?.difference;
      return difference ? [{ row, p: difference.p }] : [];
    });
    const adjusted = holm(known.map(({ p }) => p));
    return new Map(known.map(({ row }, i) => [row, itemAt(adjusted, i)]));
  });
  return rows.map((line, row) => ({
    ...line,
    cells: line.cells.map((cell, at) => {
      const adjusted = columns[at]?.get(row);
      return cell.difference && adjusted !== undefined
        ? { ...cell, difference: { ...cell.difference, adjusted } }
        : cell;
    }),
  }));
};

/**
 * Systems that both evaluations have, over the questions that both ask; a question that changed its text or
 * its answers is another one. Values, intervals and tests are those of the table.
 */
export async function compareEvaluations(
  before: EvaluationResult,
  after: EvaluationResult,
  options: Omit<TableOptions, 'reference'> = {},
): Promise<AcrossTable> {
  const known = new Set(after.questions.map(questionKey));
  const shared = before.questions.filter((question) => known.has(questionKey(question)));
  const both = before.systems.filter(({ id }) => after.systems.some((one) => one.id === id));
  const rows: AcrossRow[] = [];
  for (const system of shared.length > 0 ? both : []) {
    const [table] = await systemsTables(asRows(before, after, system, shared), 'all', {
      ...options,
      reference: BEFORE,
    });
    const cellsOf = (id: string) => table?.rows.find((row) => row.system === id)?.cells ?? [];
    const [earlier, later] = [cellsOf(BEFORE), cellsOf(AFTER)];
    rows.push({
      system: system.id,
      title: system.title,
      cells: MEASURES.map(({ id }, at) => ({
        measure: id,
        before: earlier[at]?.value ?? null,
        after: later[at]?.value ?? null,
        difference: later[at]?.difference ?? null,
      })),
    });
  }
  const alone = (a: EvaluationResult, b: EvaluationResult): string[] =>
    a.systems.filter(({ id }) => !b.systems.some((one) => one.id === id)).map(({ title }) => title);
  return {
    questions: shared.length,
    onlyBefore: before.questions.length - shared.length,
    onlyAfter: after.questions.length - shared.length,
    rows: corrected(rows),
    systemsBefore: alone(before, after),
    systemsAfter: alone(after, before),
  };
}
