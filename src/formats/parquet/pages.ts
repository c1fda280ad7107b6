import type { ColumnChunk, Compressors, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import {
  getMaxDefinitionLevel,
  getMaxRepetitionLevel,
  isFlatColumn,
} from 'hyparquet/src/schema.js';
import type { ReadBudget } from './codecs.ts';
import { skipDelta, skipStruct, varint } from './thrift.ts';

/**
 * Bounds the memory and time that hyparquet takes for the pages of a column. It allocates arrays as long as
 * page headers state, and repeats a value as often as a run states; a damaged file states any number, and
 * running out of memory ends the process. Everything else that is wrong with a page, hyparquet reports.
 */

type Chunk = NonNullable<ColumnChunk['meta_data']>;

export interface Column {
  chunk: Chunk;
  /** From the root of the schema to the column's leaf. */
  path: SchemaTree[];
  compressors: Compressors;
  /** Shared by the columns of a row group. */
  budget: ReadBudget;
}

interface Values {
  /** Of the data page. */
  version: 1 | 2;
  encoding: string | undefined;
  /** Values that are not null. */
  count: number;
  bytes: Uint8Array;
}

const RUNS = new Set(['RLE', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY']);

const bitsOf = (most: number): number => 32 - Math.clz32(most);
const tooSoon = (): Error => new Error('a page ends too soon');

function within(value: number | undefined, most: number, what: string): number {
  if (value === undefined || !Number.isInteger(value) || value < 0 || value > most)
    throw new Error(
      `${what} of ${typeof value === 'number' ? value : 'no number'} is not between 0 and ${most}`,
    );
  return value;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Runs after their length in four bytes. @returns [the runs, the bytes after them] */
function lengthFirst(bytes: Uint8Array): [runs: Uint8Array, rest: Uint8Array] {
  if (bytes.length < 4) throw tooSoon();
  const end = 4 + within(viewOf(bytes).getUint32(0, true), bytes.length - 4, 'a length');
  return [bytes.subarray(4, end), bytes.subarray(end)];
}

/** Writers pad the last bit-packed run. */
const PADDING = 512;

/**
 * Checks that runs of the RLE and bit-packing hybrid (https://parquet.apache.org/docs/file-format/data-pages/
 * encodings/) give no more values than there are: a reader writes as many as a run says.
 * @param width bits of a value
 * @param count values that the page has
 * @throws Error where they do not fit
 */
export function checkRuns(bytes: Uint8Array, width: number, count: number): void {
  if (width > 32) throw new Error(`values of ${width} bits are too wide`);
  let seen = 0;
  for (let at = 0; seen < count;) {
    const [head, from] = varint(bytes, at, 5);
    const packed = head % 2 === 1;
    const values = Math.floor(head / 2) * (packed ? 8 : 1);
    if (values > count - seen + (packed ? PADDING : 0))
      throw new Error(`a run of ${values} values is longer than its page`);
    const length = packed ? (values / 8) * width : Math.ceil(width / 8);
    // The last byte of padding may be missing.
    if (from + length > bytes.length + PADDING) throw new Error('its runs end too soon');
    at = from + length;
    seen += values;
  }
}

/** Levels at the start of a page of version 1. @returns the bytes after them */
function checkLevels(bytes: Uint8Array, most: number, count: number): Uint8Array {
  const [runs, rest] = lengthFirst(bytes);
  checkRuns(runs, bitsOf(most), count);
  return rest;
}

/** Nulls of a page of version 1, at whose start are its definition levels: those below the greatest. */
function countNulls(bytes: Uint8Array, most: number, count: number): number {
  const levels = new Int32Array(count);
  readRleBitPackedHybrid({ view: viewOf(bytes), offset: 0 }, bitsOf(most), levels);
  return levels.reduce((nulls, level) => nulls + Number(level !== most), 0);
}

/**
 * Dictionary indexes start with their width, booleans with the length of their runs. A dictionary of one value
 * has indexes of no bits, and in pages of version 1 no runs.
 */
function checkIndexes({ chunk }: Column, { version, encoding, count, bytes }: Values): void {
  if (version === 1 ? chunk.type === 'BOOLEAN' : encoding === 'RLE')
    return checkRuns(lengthFirst(bytes)[0], 1, count);
  const width = bytes[0];
  if (width === undefined) throw tooSoon();
  if (width > 0 || version === 2) checkRuns(bytes.subarray(1), width, count);
}

/** Each value of DELTA_BYTE_ARRAY repeats a prefix of the one before it: a few bytes can state any length. */
function checkPrefixes({ budget }: Column, { count, bytes }: Values): void {
  const prefixes = new Int32Array(count);
  deltaBinaryUnpack({ view: viewOf(bytes), offset: 0 }, count, prefixes);
  for (const prefix of prefixes) budget.take(within(prefix, 2 ** 31, 'a prefix'));
}

function checkValues(column: Column, values: Values): void {
  const { encoding = '', count, bytes } = values;
  if (count === 0) return;
  if (RUNS.has(encoding)) checkIndexes(column, values);
  if (encoding.startsWith('DELTA_')) {
    const end = skipDelta(bytes, 0, count);
    if (encoding === 'DELTA_BYTE_ARRAY') {
      skipDelta(bytes, end, count);
      checkPrefixes(column, values);
    }
  }
  if (encoding === 'BYTE_STREAM_SPLIT' && column.chunk.type === 'FIXED_LEN_BYTE_ARRAY')
    within(column.path.at(-1)?.element.type_length, bytes.length / count, 'a width');
}

/** @param packed bytes of the page @returns how many values it states */
function checkPage(column: Column, header: PageHeader, packed: Uint8Array): number {
  const { path, chunk, budget, compressors } = column;
  const size = within(header.uncompressed_page_size, 2 ** 31, 'a size');
  budget.take(size);
  const unpack = (bytes: Uint8Array, length: number): Uint8Array =>
    decompressPage(bytes, length, chunk.codec, compressors);
  const [rep, def] = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const { data_page_header: one, data_page_header_v2: two, dictionary_page_header: words } = header;
  if (header.type === 'DICTIONARY_PAGE' && words) {
    within(words.num_values, 8 * size, 'a number of values');
    return 0;
  }
  const stated = header.type === 'DATA_PAGE' ? one : two;
  if (!stated || (header.type !== 'DATA_PAGE' && header.type !== 'DATA_PAGE_V2'))
    throw new Error(`a page of the type ${header.type ?? 'none'} is not read`);
  const count = within(stated.num_values, 2 ** 31, 'a number of values');
  budget.takeValues(count, path.length - 1);
  if (stated === one) {
    let bytes = unpack(packed, size);
    let nulls = 0;
    if (rep > 0 && path.length > 1) bytes = checkLevels(bytes, rep, count);
    if (def > 0) {
      const values = checkLevels(bytes, def, count);
      if (one.encoding !== 'PLAIN') nulls = countNulls(bytes, def, count);
      bytes = values;
    }
    checkValues(column, { version: 1, encoding: one.encoding, count: count - nulls, bytes });
  } else if (two) {
    within(two.num_rows, count, 'a number of rows');
    const nulls = within(two.num_nulls, count, 'a number of nulls');
    const repBytes = within(two.repetition_levels_byte_length, packed.length, 'a length');
    const most = packed.length - repBytes;
    const defBytes = within(two.definition_levels_byte_length, most, 'a length');
    if (rep > 0) checkRuns(packed.subarray(0, repBytes), bitsOf(rep), count);
    if (def > 0) checkRuns(packed.subarray(repBytes, repBytes + defBytes), bitsOf(def), count);
    let bytes = packed.subarray(repBytes + defBytes);
    const rest = within(size - repBytes - defBytes, size, 'a size');
    if (two.is_compressed !== false && rest > 0) bytes = unpack(bytes, rest);
    checkValues(column, { version: 2, encoding: two.encoding, count: count - nulls, bytes });
  }
  return count;
}

/**
 * @param bytes of the column's chunk
 * @param rows of its row group
 * @returns how many values its pages state
 * @throws Error that says what is wrong with a page
 */
export function checkPages(bytes: Uint8Array, rows: number, column: Column): number {
  // As hyparquet does: of a flat column until all rows are there, of a nested one to the end of the chunk.
  const most = isFlatColumn(column.path) ? rows : Infinity;
  let values = 0;
  for (let at = 0; at < bytes.length - 1 && values < most;) {
    const end = skipStruct(bytes, at);
    const header = parquetHeader({ view: viewOf(bytes), offset: at });
    const size = within(header.compressed_page_size, bytes.length - end, 'a size');
    values += checkPage(column, header, bytes.subarray(end, end + size));
    at = end + size;
  }
  return values;
}
