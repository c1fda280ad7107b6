import type { TrainStep } from '../../../records/training.ts';

/** The metrics of a run as comma-separated values (RFC 4180): one line a step, one column a number. */

type Cell = string | number | null;

/** Nested records become columns named by their path: `reward.clauses.format`. */
function flatten(value: unknown, path: string, into: Map<string, Cell>): void {
  // What is told question by question is no number of a step.
  if (Array.isArray(value)) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      flatten(inner, path === '' ? key : `${path}.${key}`, into);
  } else if (typeof value === 'number' || typeof value === 'string') into.set(path, value);
}

const quoted = (cell: Cell | undefined): string => {
  const text = cell === undefined || cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Columns in the order in which steps first have them; a step without a number has an empty cell. */
export function metricsCsv(steps: readonly TrainStep[]): string {
  const rows = steps.map((step) => {
    const row = new Map<string, Cell>();
    flatten(step, '', row);
    return row;
  });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = rows.map((row) => columns.map((column) => quoted(row.get(column))).join(','));
  return [columns.map(quoted).join(','), ...lines, ''].join('\r\n');
}
