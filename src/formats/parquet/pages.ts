import type { ColumnChunk, Compressors, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { mostPageBytes, type UnpackBudget } from './codecs.ts';
import { checkRuns } from './runs.ts';
import { skipStruct } from './thrift.ts';

/**
 * Checks the pages of a column before they are read: the library makes arrays as long as their headers
 * say, and runs as long as they claim.
 */

/** Rows of a row group as pyarrow writes it; what has more values must also have bytes for them. */
const FREE_VALUES = 2 ** 20;
const VALUES_A_BYTE = 64;
const PLAIN = new Set(['PLAIN', 'RLE', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY']);

/** Values that so many bytes can be believed to hold. */
export const mostValues = (bytes: number): number => FREE_VALUES + VALUES_A_BYTE * bytes;

const bitsOf = (most: number): number => 32 - Math.clz32(most);

type Chunk = NonNullable<ColumnChunk['meta_data']>;

interface Column {
  chunk: Chunk;
  path: SchemaTree[];
  compressors: Compressors;
  /** Shared by the columns of a row group. */
  budget: UnpackBudget;
}

const within = (value: number | undefined, most: number, what: string): number => {
  if (value === undefined || !Number.isInteger(value) || value < 0 || value > most)
    throw new Error(
      `${what} of ${typeof value === 'number' ? value : 'no number'} is not between 0 and ${most}`,
    );
  return value;
};

function unpack({ chunk, compressors }: Column, packed: Uint8Array, size: number): Uint8Array {
  return decompressPage(packed, size, chunk.codec, compressors);
}

/** Levels at the start of a page of version 1: their length, then runs. @returns what follows */
function skipLevels(bytes: Uint8Array, most: number, count: number): Uint8Array {
  if (most === 0) return bytes;
  if (bytes.length < 4) throw new Error('a page ends too soon');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  within(length, bytes.length - 4, 'a length');
  checkRuns(bytes.subarray(4, 4 + length), bitsOf(most), count);
  return bytes.subarray(4 + length);
}

function checkValues(
  { chunk }: Column,
  bytes: Uint8Array,
  encoding: string,
  count: number,
  /** Whether a dictionary of one value has runs of no bits. */
  always = false,
): void {
  if (!PLAIN.has(encoding))
    throw new Error(
      `values in the encoding ${encoding} are not read; write the file in plain or dictionary encoding`,
    );
  if (encoding === 'PLAIN' || count === 0) return;
  // Of booleans the runs' length comes first, of dictionaries the width.
  if (chunk.type === 'BOOLEAN') return void skipLevels(bytes, 1, count);
  const width = bytes[0];
  if (width === undefined) throw new Error('a page ends too soon');
  if (width > 0 || always) checkRuns(bytes.subarray(1), width, count);
}

function checkPage(column: Column, header: PageHeader, packed: Uint8Array): number {
  const { path, chunk, budget } = column;
  const most = mostPageBytes(chunk.codec, packed.length);
  const size = within(header.uncompressed_page_size, most, 'a size');
  budget.take(size);
  const [rep, def] = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const { data_page_header: one, data_page_header_v2: two, dictionary_page_header: words } = header;
  if (header.type === 'DICTIONARY_PAGE' && words) {
    within(words.num_values, 8 * size, 'a number of values');
    return 0;
  }
  if (header.type === 'DATA_PAGE' && one) {
    const count = within(one.num_values, mostValues(size), 'a number of values');
    const levels = skipLevels(unpack(column, packed, size), path.length > 1 ? rep : 0, count);
    checkValues(column, skipLevels(levels, def, count), one.encoding, count);
    return count;
  }
  if (header.type !== 'DATA_PAGE_V2' || !two)
    throw new Error(`a page of the type ${header.type ?? 'none'} is not read`);
  const count = within(two.num_values, mostValues(size), 'a number of values');
  within(two.num_rows, count, 'a number of rows');
  const nulls = within(two.num_nulls, count, 'a number of nulls');
  const repBytes = within(two.repetition_levels_byte_length, packed.length, 'a length');
  const defBytes = within(two.definition_levels_byte_length, packed.length - repBytes, 'a length');
  if (rep > 0) checkRuns(packed.subarray(0, repBytes), bitsOf(rep), count);
  if (def > 0) checkRuns(packed.subarray(repBytes, repBytes + defBytes), bitsOf(def), count);
  const rest = packed.subarray(repBytes + defBytes);
  const values =
    two.is_compressed === false
      ? rest
      : unpack(column, rest, within(size - repBytes - defBytes, size, 'a size'));
  checkValues(column, values, two.encoding, count - nulls, true);
  return count;
}

/**
 * @param bytes of the column's chunk
 * @throws Error that says what is wrong with its pages
 */
export function checkPages(bytes: Uint8Array, column: Column): void {
  const all = Number(column.chunk.num_values);
  let seen = 0;
  for (let at = 0; seen < all && at < bytes.length - 1;) {
    const end = skipStruct(bytes, at);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const header = parquetHeader({ view, offset: at });
    const size = within(header.compressed_page_size, bytes.length - end, 'a size');
    seen += checkPage(column, header, bytes.subarray(end, end + size));
    if (seen > all) throw new Error(`its pages hold more than the ${all} values that it states`);
    at = end + size;
  }
}
