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
import { checkCodec, compressorsOf, UnpackBudget } from './codecs.ts';
import { checkPages, mostValues } from './pages.ts';
import { skipStruct } from './thrift.ts';
import { itemAt } from '../../base/items.ts';

/**
 * Parquet files of strangers, read by hyparquet. What their headers ask for is compared with the bytes
 * that there are before it is made: counts, sizes and runs of a damaged file name any number.
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

const buffer = (blob: Blob): AsyncBuffer => ({
  byteLength: blob.size,
  slice: (start, end) => blob.slice(start, end).arrayBuffer(),
});

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
    const groups = metadata.row_groups.map(({ num_rows: rows }) => Number(rows));
    if (groups.some((rows) => !(Number.isSafeInteger(rows) && rows >= 0)))
      throw new Error('a row group states no number of rows');
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
  const packed = chunks.reduce((sum, chunk) => sum + Number(chunk.total_compressed_size), 0);
  const budget = new UnpackBudget(Math.min(packed, file.blob.size));
  const { compressors } = file;
  for (const chunk of chunks) {
    const name = nameOf(chunk);
    seen.add(name);
    checkCodec(chunk.codec);
    const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
    const size = Number(chunk.total_compressed_size);
    if (!(start >= 0 && size >= 0 && start + size <= file.blob.size))
      throw new Error(`column ${name} lies outside the file`);
    const values = Number(chunk.num_values);
    if (!(values >= rows && values <= mostValues(size)))
      throw new Error(`column ${name} states ${values} values for ${rows} rows in ${size} bytes`);
    const path = getTreePath(file.schema, chunk.path_in_schema);
    checkPages(new Uint8Array(await file.blob.slice(start, start + size).arrayBuffer()), {
      chunk,
      path,
      compressors,
      budget,
    });
  }
  const lost = wanted.find((name) => !seen.has(name));
  if (lost !== undefined || seen.size === 0)
    throw new Error(`column ${lost ?? 'none'} is not in it`);
}

/**
 * Rows [start, end) of the whole file, which lie in one row group that was checked.
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
  return rows;
}
