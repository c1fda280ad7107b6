import {
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type SchemaTree,
} from 'hyparquet';
import { getTreePath } from 'hyparquet/src/schema.js';
import { oneLine } from '../../base/errors.ts';
import { checkCodec, compressorsOf, ReadBudget } from './codecs.ts';
import { checkPages } from './pages.ts';
import { skipStruct } from './thrift.ts';
import { itemAt } from '../../base/items.ts';

/**
 * Parquet files, read by hyparquet. A damaged or hostile file may state any count, size or offset, and hyparquet
 * allocates what is stated: each row group is checked first, so that a file costs an error and not the process.
 */

/** A file of 10,000 row groups of 20 columns has some 3 MB. */
const MAX_METADATA_BYTES = 8 * 2 ** 20;
const MAX_COLUMNS = 1000;

export interface ParquetFile {
  readonly blob: Blob;
  readonly metadata: FileMetaData;
  readonly schema: SchemaTree;
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Rows of each row group. */
  readonly groups: readonly number[];
  /** Of the codecs that the file names. */
  readonly compressors: Compressors;
}

/** Node aborts on slices whose bounds are not integers, which a damaged file can state. */
function bytesOf(blob: Blob, start: number, end: number): Promise<ArrayBuffer> {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!whole || start < 0 || end < start || end > blob.size)
    throw new Error(`it names bytes ${start} to ${end} of a file of ${blob.size}`);
  return blob.slice(start, end).arrayBuffer();
}

const buffer = (blob: Blob): AsyncBuffer => ({
  byteLength: blob.size,
  slice: (start, end = blob.size) => bytesOf(blob, start, end),
});

/**
 * A count, size or offset of the metadata. Thrift states its type in the file, so that it may be anything.
 * @throws Error where it is no integer from 0 on
 */
function integer(value: unknown, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
    throw new Error(`${what} is no whole number`);
  return number;
}

/** The library's own words; those of the platform speak of its insides. */
export function reasonOf(error: unknown): string {
  const plain = error instanceof Error && error.name === 'Error';
  if (!plain) return 'its parts do not fit together';
  return oneLine(error.message.replaceAll(/\bundefined\b/g, 'none'));
}

async function footerOf(blob: Blob): Promise<FileMetaData> {
  const tail = new DataView(await blob.slice(-8).arrayBuffer());
  if (blob.size < 12 || tail.getUint32(4, true) !== 0x31524150)
    throw new Error('a parquet file ends in PAR1; is it cut off?');
  const bytes = tail.getUint32(0, true);
  if (bytes > Math.min(blob.size - 12, MAX_METADATA_BYTES))
    throw new Error(`metadata of ${bytes} bytes are not within the file`);
  const start = blob.size - 8 - bytes;
  skipStruct(new Uint8Array(await blob.slice(start, blob.size - 8).arrayBuffer()), 0);
  return parquetMetadataAsync(buffer(blob));
}

const codecsOf = ({ row_groups: groups }: FileMetaData): Set<string> =>
  new Set(groups.flatMap(({ columns }) => columns.flatMap((one) => one.meta_data?.codec ?? [])));

/**
 * Opens a file and reads its schema.
 * @throws Error that says what is wrong with its metadata
 */
export async function openParquet(blob: Blob): Promise<ParquetFile> {
  try {
    const metadata = await footerOf(blob);
    if (metadata.schema.length > MAX_COLUMNS)
      throw new Error(`it has more than ${MAX_COLUMNS} columns`);
    const schema = parquetSchema(metadata);
    const columns = schema.children.map(({ element }) => element.name);
    if (columns.some((name) => typeof name !== 'string')) throw new Error('a column has no name');
    const groups = metadata.row_groups.map(({ num_rows }) =>
      integer(num_rows, 'the number of rows of a row group'),
    );
    const compressors = await compressorsOf(codecsOf(metadata));
    return { blob, metadata, schema, columns, groups, compressors };
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

const nameOf = ({ path_in_schema: path }: { path_in_schema: string[] }): string =>
  itemAt(path, 0, 'path of a column');

/**
 * Checks a row group before rows of it are read.
 * @param wanted names of the columns that are
 * @throws Error that says what is wrong
 */
export async function checkGroup(
  file: ParquetFile,
  group: number,
  wanted: readonly string[],
): Promise<void> {
  const rows = itemAt(file.groups, group, 'row groups');
  const seen = new Set<string>();
  const chunks = itemAt(file.metadata.row_groups, group, 'row groups').columns.flatMap(
    ({ meta_data: chunk }) => (chunk && wanted.includes(nameOf(chunk)) ? [chunk] : []),
  );
  const sizes = chunks.map(({ total_compressed_size: size }) =>
    integer(size, 'the size of a column'),
  );
  const packed = sizes.reduce((sum, size) => sum + size, 0);
  const budget = new ReadBudget(Math.min(packed, file.blob.size));
  const { compressors } = file;
  for (const [i, chunk] of chunks.entries()) {
    const name = nameOf(chunk);
    seen.add(name);
    checkCodec(chunk.codec);
    const start = integer(
      chunk.dictionary_page_offset || chunk.data_page_offset,
      `the offset of column ${name}`,
    );
    const end = start + itemAt(sizes, i, 'sizes of columns');
    if (end > file.blob.size) throw new Error(`column ${name} lies outside the file`);
    const path = getTreePath(file.schema, chunk.path_in_schema);
    const bytes = new Uint8Array(await bytesOf(file.blob, start, end));
    const values = checkPages(bytes, rows, { chunk, path, compressors, budget });
    if (values < rows) throw new Error(`column ${name} has ${values} values for ${rows} rows`);
  }
  const lost = wanted.find((name) => !seen.has(name));
  if (lost !== undefined || seen.size === 0)
    throw new Error(`column ${lost ?? 'none'} is not in it`);
}

/** Values of columns as JSON has them: exact integers, ISO dates, null for numbers that are not finite. */
function toJson(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array, toJson);
  if (Array.isArray(value)) return value.map(toJson);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

/**
 * Rows [start, end) of the whole file, which are in one row group that was checked.
 * @throws Error that says why they cannot be read
 */
export async function readRows(
  { blob, metadata, compressors }: ParquetFile,
  columns: readonly string[],
  start: number,
  end: number,
): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({
    file: buffer(blob),
    metadata,
    columns: [...columns],
    rowStart: start,
    rowEnd: end,
    compressors,
  });
  if (rows.length !== end - start) throw new Error(`there are ${rows.length} of ${end - start}`);
  return rows.map((row) => toJson(row) as Record<string, unknown>);
}
