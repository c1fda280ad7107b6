import type { EvaluationResult } from '../../evaluate/systems/result.ts';
import type { TableSplit, SystemsTable } from '../../evaluate/systems/table/shape.ts';
import { systemsTables } from '../../evaluate/systems/table/table.ts';
import { UsageError } from '../shared/options.ts';

/** Tables of an evaluation: one over all questions, and those that `--by` adds. */

/** Values of `--by`, the same as on the page. */
const BY = {
  form: { by: 'type', heading: (part) => `form: ${part}` },
  hops: { by: 'hops', heading: (part) => part },
  source: { by: 'source', heading: (part) => `source needed: ${part}` },
} as const satisfies Record<string, { by: TableSplit; heading: (part: string) => string }>;

const PARTS = Object.keys(BY) as (keyof typeof BY)[];
const isPart = (text: string): text is keyof typeof BY => PARTS.some((part) => part === text);

/** @throws UsageError for another word */
export function partsOf(text: string | undefined): (keyof typeof BY)[] {
  const parts = (text ?? '').split(',').map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    if (isPart(part)) return part;
    throw new UsageError(`--by has '${part}'; it must be any of ${PARTS.join(', ')}.`);
  });
}

/** @returns the table of all questions, then the others in the order in which they are asked for */
export async function tablesBy(
  result: EvaluationResult,
  parts: readonly (keyof typeof BY)[],
  reference: string | undefined,
): Promise<SystemsTable[]> {
  const tables = await systemsTables(result, 'all', { reference });
  for (const part of parts) {
    const { by, heading } = BY[part];
    for (const table of await systemsTables(result, by, { reference }))
      tables.push({ ...table, part: heading(table.part) });
  }
  return tables;
}
