import { parquetMetadataAsync, parquetReadObjects, type AsyncBuffer } from 'hyparquet';
import type { JsonObject } from './json.ts';

/** Rows of a parquet file as JSON values, one row group in memory at a time. */

const MAGIC = 'PAR1';

export async function isParquet(file: Blob): Promise<boolean> {
  return (await file.slice(0, 4).text()) === MAGIC;
}

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

/** @throws Error of hyparquet's where the file is damaged or compressed in a way that it cannot read */
export async function* readParquet(blob: Blob): AsyncGenerator<ParquetRow> {
  const file: AsyncBuffer = {
    byteLength: blob.size,
    slice: (start, end) => blob.slice(start, end).arrayBuffer(),
  };
  const metadata = await parquetMetadataAsync(file);
  const total = Number(metadata.num_rows);
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    const rows = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd: end });
    for (const [i, row] of rows.entries()) {
      const number = start + i + 1;
      yield {
        row: toJson(row) as JsonObject,
        number,
        bytes: Math.round((blob.size * number) / total),
      };
    }
    start = end;
  }
}
