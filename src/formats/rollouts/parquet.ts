import { checkGroup, openParquet, readRows, reasonOf, type ParquetFile } from '../parquet/read.ts';
import type { JsonObject } from './shape/json.ts';

/** Rows of a parquet file as JSON values, one row group in memory at a time. */

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
        row,
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
