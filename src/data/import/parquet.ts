import {
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  snappyUncompress,
  type FileMetaData,
} from 'hyparquet';
import { messageOf } from '../message-of.ts';
import { ImportError, type Format, type RawItem, type ResumePosition } from './types.ts';

/** Columns that a question can lie in; `prompt` is long and only read where `question` is missing. */
const WANTED = ['id', 'data_source', 'question', 'golden_answers', 'reward_model', 'extra_info'];
/** Caps on what a file's header may ask for, so that a broken one cannot take all memory. */
const MAX_PAGE_BYTES = 256 * 2 ** 20;
const MAX_METADATA_BYTES = 64 * 2 ** 20;
/** Rows that are turned into objects at a time. */
const ROWS = 20_000;

const buffer = (
  blob: Blob,
): { byteLength: number; slice: (start: number, end?: number) => Promise<ArrayBuffer> } => ({
  byteLength: blob.size,
  slice: (start, end) => blob.slice(start, end).arrayBuffer(),
});

/** @throws ImportError where the file has no readable footer */
async function metadataOf(blob: Blob): Promise<FileMetaData> {
  const tail = new DataView(await blob.slice(Math.max(0, blob.size - 8)).arrayBuffer());
  if (blob.size < 12 || tail.getUint32(4, true) !== 0x31524150)
    throw new ImportError('expected a parquet file to end in PAR1; is it cut off?');
  const bytes = tail.getUint32(0, true);
  if (bytes > Math.min(blob.size - 12, MAX_METADATA_BYTES))
    throw new ImportError(`expected parquet metadata within the file, found a size of ${bytes}`);
  try {
    return await parquetMetadataAsync(buffer(blob));
  } catch (error) {
    throw new ImportError(`expected parquet metadata: ${messageOf(error)}`);
  }
}

const columnNames = (metadata: FileMetaData): string[] => {
  try {
    return parquetSchema(metadata).children.map(({ element }) => element.name);
  } catch (error) {
    throw new ImportError(`expected a parquet schema: ${messageOf(error)}`);
  }
};

/** Number of rows as the metadata state it. */
export async function parquetRows(blob: Blob): Promise<number> {
  return Number((await metadataOf(blob)).num_rows);
}

/**
 * Rows of a parquet file (uncompressed or snappy) as objects, row group by row group. Only the
 * columns that questions lie in are read. A row group that cannot be read is one problem.
 * @throws ImportError where footer or schema cannot be read, or no column holds questions
 */
export async function* parquetItems(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
): AsyncGenerator<RawItem, void> {
  const metadata = await metadataOf(blob);
  const names = columnNames(metadata);
  const columns = WANTED.filter((name) => names.includes(name));
  if (!names.includes('question')) {
    if (!names.includes('prompt'))
      throw new ImportError('expected a parquet column `question` or `prompt`');
    columns.push('prompt');
  }
  const total = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    for (let at = groupStart; at < groupEnd; at += ROWS) {
      signal?.throwIfAborted();
      const end = Math.min(groupEnd, at + ROWS);
      const skip = Math.max(0, (resume?.item ?? 0) - at);
      if (at + skip >= end) continue;
      const place = (row: number): Omit<RawItem, 'value' | 'problem'> => ({
        item: row,
        line: null,
        bytes: Math.round((blob.size * (row + 1)) / total),
        next: { format, offset: 0, line: 1, item: row + 1 },
      });
      const rows = await readRows(blob, metadata, columns, at, end);
      if (typeof rows === 'string')
        yield { ...place(end - 1), problem: { key: '', expected: rows } };
      else
        for (const [i, value] of rows.slice(skip).entries())
          yield { ...place(at + skip + i), value };
    }
    groupStart = groupEnd;
  }
}

/** The rows, or why they cannot be read. */
async function readRows(
  blob: Blob,
  metadata: FileMetaData,
  columns: string[],
  rowStart: number,
  rowEnd: number,
): Promise<Record<string, unknown>[] | string> {
  try {
    return await parquetReadObjects({
      file: buffer(blob),
      metadata,
      columns,
      rowStart,
      rowEnd,
      compressors: { SNAPPY: uncompress },
    });
  } catch (error) {
    return `expected readable rows ${rowStart} to ${rowEnd - 1}: ${messageOf(error)}`;
  }
}

function uncompress(input: Uint8Array, bytes: number): Uint8Array {
  if (!(bytes >= 0 && bytes <= MAX_PAGE_BYTES))
    throw new Error(`a page of ${bytes} bytes is larger than ${MAX_PAGE_BYTES}`);
  const output = new Uint8Array(bytes);
  snappyUncompress(input, output);
  return output;
}
