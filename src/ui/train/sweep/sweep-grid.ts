import { bestOf, shade, SWEEP_METRICS, type SweepMetric } from '../../../evaluate/sweep/matrix.ts';
import { shortName, valueText, type SweepAxis } from '../../../evaluate/sweep/axes.ts';
import { gridOf } from '../../../evaluate/sweep/cells.ts';
import { sweepSecondsLeft } from '../../../evaluate/sweep/pace.ts';
import { tint } from '../../../evaluate/sweep/report.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { formatNumber, formatSeconds, formatShare, formatSigned } from '../../kit/words/format.ts';
import type { TrainState } from '../store/train-store.ts';

/** The runs of a sweep as the grid that is drawn. */

type CellState = 'waiting' | 'running' | 'finished' | 'stopped' | 'failed' | 'dropped';

/** A pair of values, and the run that was made with it. */
export interface GridCell {
  /** Null where it was removed for good. */
  run: RunRecord | null;
  state: CellState;
  /** Of the chosen number, once its run ended; null before, and where it failed. */
  value: number | null;
  /** The value as it is written, or the state. */
  text: string;
  /** Strength of its tint, between 0 and 1. */
  tint: number;
  /** Of the cells with a value; none where all are equal. */
  best: boolean;
  /** Its values: `lr 1e-4 · group 8`. */
  name: string;
  /** Share of its steps that are made. */
  done: number;
}

/** The runs of a sweep by their values. */
export interface Grid {
  /** Null where one setting alone is swept: then there is one row. */
  rowName: string | null;
  columnName: string;
  rows: string[];
  columns: string[];
  /** Row by row. */
  cells: GridCell[];
}

/** A paused run of a sweep waits for its turn, whether the sweep or the user paused it. */
const stateOf = (run: RunRecord | null): CellState => {
  if (!run || run.deletedAt !== null) return 'dropped';
  return run.status === 'paused' ? 'waiting' : run.status;
};

const valueWords = (value: number, { unit }: Pick<SweepMetric, 'unit'>): string => {
  switch (unit) {
    case 'share':
      return formatShare(value);
    case 'points':
      return formatSigned(100 * value, 1);
    case 'seconds':
      return formatSeconds(value);
    case 'number':
      return formatNumber(value);
  }
};

/** Their last number counts. What failed ended where nobody chose, and is not compared. */
const OVER: readonly CellState[] = ['finished', 'stopped'];

const textOf = (state: CellState, run: RunRecord | null, value: string | null): string => {
  if (run && state === 'running') return `${run.step} / ${run.settings.steps}`;
  if (run && state === 'waiting') return run.step === 0 ? 'waits' : `paused at ${run.step}`;
  if (state === 'failed') return '⚠ failed';
  if (state === 'dropped') return 'dropped';
  return value ?? '–';
};

/** Runs of a sweep at their places; of two at one, the later. */
const placed = (runs: readonly RunRecord[], row: number, column: number): RunRecord | null =>
  runs.find(({ sweep }) => sweep?.place[0] === row && sweep.place[1] === column) ?? null;

/** The number to show, by its id; the first where there is none such. */
export const metricOf = (id: string): SweepMetric => {
  const found = SWEEP_METRICS.find((metric) => metric.id === id) ?? SWEEP_METRICS[0];
  if (!found) throw new Error('there is no number to show');
  return found;
};

/**
 * Every pair of the axes’ values, with the run’s state and number.
 * @param metric which number; the best cell is recognised by it
 */
export function sweepGrid(
  runs: readonly RunRecord[],
  axes: readonly SweepAxis[],
  steps: TrainState['steps'],
  metric: SweepMetric,
): Grid {
  const { rows, columns } = gridOf(axes);
  const bare = (rows?.values ?? [null]).flatMap((down, row) =>
    columns.values.map((across, column) => {
      const run = placed(runs, row, column);
      const state = stateOf(run);
      const value = run && OVER.includes(state) ? metric.read(steps[run.id] ?? []) : null;
      const name = [
        ...(rows && down !== null ? [`${shortName(rows.path)} ${valueText(down)}`] : []),
        `${shortName(columns.path)} ${valueText(across)}`,
      ].join(' · ');
      return { run, state, value, name };
    }),
  );
  const values = bare.map(({ value }) => value);
  const known = values.flatMap((value) => value ?? []);
  const best = new Set(bestOf(values, metric));
  return {
    rowName: rows && shortName(rows.path),
    columnName: shortName(columns.path),
    rows: rows ? rows.values.map(valueText) : [''],
    columns: columns.values.map(valueText),
    cells: bare.map((cell, i) => ({
      ...cell,
      text: textOf(
        cell.state,
        cell.run,
        cell.value === null ? null : valueWords(cell.value, metric),
      ),
      tint: cell.value === null ? 0 : tint(shade(cell.value, known)),
      best: best.has(i),
      done: cell.run ? Math.min(1, cell.run.step / cell.run.settings.steps) : 0,
    })),
  };
}

/** Seconds to the end of the sweep, by what its runs took; null before the first step. */
export const leftOf = (
  cells: readonly GridCell[],
  { steps, progress }: Pick<TrainState, 'steps' | 'progress'>,
): number | null =>
  sweepSecondsLeft(
    cells.flatMap(({ run, state }) =>
      run
        ? [
            {
              settings: run.settings,
              steps: steps[run.id] ?? [],
              state: state === 'waiting' ? 'waits' : state === 'running' ? 'trains' : 'over',
              etaSeconds: progress[run.id]?.etaSeconds ?? null,
            } as const,
          ]
        : [],
    ),
  );
