import { csvText } from '../../../base/table-text.ts';
import type { TrainStep } from '../../../records/training.ts';

/** The metrics of a run as comma-separated values (RFC 4180): one line per step, one column per number. */

/** Nested records become columns named by their path: `reward.clauses.format`. */
function flatten(value: unknown, path: string, into: Map<string, string | number>): void {
  // Values per question are not numbers of a step.
  if (Array.isArray(value)) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      flatten(inner, path === '' ? key : `${path}.${key}`, into);
  } else if (typeof value === 'number' || typeof value === 'string') into.set(path, value);
}

/** Columns in the order in which steps first have them; a step without a number has an empty cell. */
export function metricsCsv(steps: readonly TrainStep[]): string {
  const rows = steps.map((step) => {
    const row = new Map<string, string | number>();
    flatten(step, '', row);
    return row;
  });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return csvText([columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? null))]);
}
