import { checkGroup, openParquet, readRows, reasonOf, type ParquetFile } from '../parquet/read.ts';
import type { JsonObject } from './shape/json.ts';

/** Rows of a parquet file as JSON values, one row group in memory at a time. */

/** Values of columns as JSON has them: whole numbers that are exact, ISO dates, null for non-finite. */
function toJson(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array, toJson);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  return value;
}

export interface ParquetRow {
  row: JsonObject;
  /** From 1. */
  number: number;
  /** Share of the file's rows up to this one, in bytes of the file. */
  bytes: number;
}

/** @throws Error where the file is damaged or compressed in a way that is not read */
export async function* readParquet(blob: Blob): AsyncGenerator<ParquetRow> {
  const file = await openParquet(blob);
  const total = file.groups.reduce((sum, rows) => sum + rows, 0);
  let start = 0;
  for (const [group, count] of file.groups.entries()) {
    const rows = await rowsOf(file, group, start, start + count);
    for (const [i, row] of rows.entries()) {
      const number = start + i + 1;
      yield {
        row: toJson(row) as JsonObject,
        number,
        bytes: Math.round((blob.size * number) / total),
      };
    }
    start += count;
  }
}

async function rowsOf(
  file: ParquetFile,
  group: number,
  start: number,
  end: number,
): Promise<Record<string, unknown>[]> {
  if (start === end) return [];
  try {
    await checkGroup(file, group, file.columns);
    return await readRows(file, file.columns, start, end);
  } catch (error) {
    throw new Error(`rows ${start + 1} to ${end}: ${reasonOf(error)}`, { cause: error });
  }
}
