import { readFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import {
  checkGroup,
  openParquet,
  readRows,
  reasonOf,
  type ParquetFile,
} from '../../../src/formats/parquet/read.ts';
import { structBytes, varint, type Struct } from './thrift.ts';

const FIXTURE = readFileSync(
  new URL('../../fixtures/parquet/trl-snappy-v1.parquet', import.meta.url),
);

const le = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
/** A file of nothing but its metadata. */
const bare = (metadata: Struct, stated?: number): Blob => {
  const bytes = structBytes(metadata);
  const mark = Buffer.from('PAR1');
  return new Blob([mark, Uint8Array.from([...bytes, ...le(stated ?? bytes.length)]), mark]);
};
const COLUMN: Struct = { 1: 1, 3: 1, 4: 'a' };
/** FileMetaData of parquet.thrift: version, schema, rows, row groups. */
const metadata = (columns: Struct[] = [COLUMN], more: Struct = {}): Struct => ({
  1: 2,
  2: [{ 4: 'root', 5: columns.length }, ...columns],
  3: 0,
  4: [],
  ...more,
});

describe('a file that cannot be parquet is refused with what is wrong', () => {
  it.each([
    ['nothing', new Blob([])],
    ['a few bytes', new Blob(['PAR'])],
    ['eleven bytes', new Blob([Uint8Array.from([0, 0, 0, 0, 0, 0, 0]), 'PAR1'])],
    ['another end', new Blob([FIXTURE.subarray(0, -1)])],
  ])('%s', async (_, blob) => {
    await expect(openParquet(blob)).rejects.toThrow('a parquet file ends in PAR1; is it cut off?');
  });

  it('metadata beyond the file, or beyond what metadata can be', async () => {
    const size = structBytes(metadata()).length;
    expect((await openParquet(bare(metadata()))).columns).toEqual(['a']);
    await expect(openParquet(bare(metadata(), size + 1))).rejects.toThrow(
      `metadata of ${size + 1} bytes are not within the file`,
    );
    // Who made the file is a text of any length: field 6, two after that of the row groups.
    const of = (length: number): Blob => {
      const fields = structBytes(metadata()).slice(0, -1);
      const text = length - fields.length - 6;
      const head = Uint8Array.from([...fields, 0x28, ...varint(text)]);
      const tail = Uint8Array.from([0, ...le(length)]);
      return new Blob(['PAR1', head, new Uint8Array(text).fill(0x78), tail, 'PAR1']);
    };
    await expect(openParquet(of(8_388_608))).resolves.toMatchObject({ columns: ['a'] });
    await expect(openParquet(of(8_388_609))).rejects.toThrow(
      'metadata of 8388609 bytes are not within the file',
    );
  });

  it('more columns than files have', async () => {
    const of = (count: number) =>
      openParquet(
        bare(metadata(Array.from({ length: count }, (_, i) => ({ ...COLUMN, 4: `c${i}` })))),
      );
    // The root is counted.
    expect((await of(999)).columns).toHaveLength(999);
    await expect(of(1000)).rejects.toThrow('it has more than 1000 columns');
  });

  it('a column without a name, and a row group without a number of rows', async () => {
    await expect(openParquet(bare(metadata([{ 1: 1, 3: 1 }])))).rejects.toThrow(
      'a column has no name',
    );
    const group = (rows: Struct) =>
      openParquet(bare(metadata([COLUMN], { 4: [{ 1: [], 2: 0, ...rows }] })));
    await expect(group({})).rejects.toThrow('the number of rows of a row group is no whole number');
    await expect(group({ 3: -1 })).rejects.toThrow(
      'the number of rows of a row group is no whole number',
    );
    expect((await group({ 3: 0 })).groups).toEqual([0]);
  });

  it('in the words of the reader, and not of the platform', () => {
    expect(reasonOf(new Error('a of undefined\nand undefineds'))).toBe('a of none and undefineds');
    expect(reasonOf(new TypeError('x is not a function'))).toBe('its parts do not fit together');
    expect(reasonOf('x')).toBe('its parts do not fit together');
  });
});

type Chunk = NonNullable<
  ParquetFile['metadata']['row_groups'][number]['columns'][number]['meta_data']
>;

describe('a row group is checked before it is read', () => {
  const opened = async (): Promise<{ file: ParquetFile; chunks: Chunk[] }> => {
    const file = await openParquet(new Blob([FIXTURE]));
    const chunks = file.metadata.row_groups[0]!.columns.flatMap(({ meta_data }) => meta_data ?? []);
    return { file, chunks };
  };
  /** The check of the first group with one change to the chunk of the column "step". */
  const checked = async (change: Partial<Chunk>, wanted = ['step']): Promise<void> => {
    const { file, chunks } = await opened();
    Object.assign(chunks[0]!, change);
    await checkGroup(file, 0, wanted);
  };

  it('as it was written it is whole, in its groups', async () => {
    const { file } = await opened();
    expect(file.groups).toEqual([20, 10]);
    expect(file.columns).toEqual([
      'step',
      'prompt',
      'completion',
      'accuracy_reward',
      'advantage',
      'solution',
    ]);
    await checkGroup(file, 0, file.columns);
    await checkGroup(file, 1, file.columns);
    await expect(checkGroup(file, 2, file.columns)).rejects.toThrow('row groups holds 2');
  });

  it.each<[Partial<Chunk>, RegExp]>([
    [{ total_compressed_size: BigInt(FIXTURE.length) }, /^column step lies outside the file$/],
    [{ total_compressed_size: -1n }, /^the size of a column is no whole number$/],
    [{ dictionary_page_offset: -1n }, /^the offset of column step is no whole number$/],
    // As a double and as a truth, which Thrift lets a file state: slices of them abort Node.
    [
      { dictionary_page_offset: 9.39e-15 as unknown as bigint },
      /^the offset of column step is no whole number$/,
    ],
    [
      { total_compressed_size: true as unknown as bigint },
      /^the size of a column is no whole number$/,
    ],
    [{ codec: 'LZO' }, /^pages compressed by LZO are not read; write the file with zstd/],
  ])('%o', async (change, reason) => {
    await expect(checked(change)).rejects.toThrow(reason);
  });

  it('up to the last byte of the file, and the number of values that its pages hold', async () => {
    const { chunks } = await opened();
    const start = Number(chunks[0]!.dictionary_page_offset ?? chunks[0]!.data_page_offset);
    const rest = FIXTURE.length - start;
    await checked({ total_compressed_size: BigInt(rest) });
    await expect(checked({ total_compressed_size: BigInt(rest + 1) })).rejects.toThrow('outside');
    // Rows that are not there would be made as many as are stated.
    const { file } = await opened();
    const short = { ...file, groups: [2 ** 40, 10] };
    await expect(checkGroup(short, 0, ['step'])).rejects.toThrow(
      'column step has 20 values for 1099511627776 rows',
    );
    // What is at the file's beginning is not a page.
    await expect(checked({ dictionary_page_offset: 0n, data_page_offset: 0n })).rejects.toThrow(
      'a size of no number is not between',
    );
  });

  it('for the columns that are wanted, and those must be there', async () => {
    await checked({ codec: 'LZO' }, ['prompt']);
    await expect(checked({}, ['step', 'other'])).rejects.toThrow('column other is not in it');
    await expect(checked({}, [])).rejects.toThrow('column none is not in it');
    const { file } = await opened();
    const { columns } = file.metadata.row_groups[0]!;
    columns.splice(0, 1);
    await expect(checkGroup(file, 0, ['step'])).rejects.toThrow('column step is not in it');
    // A column of which nothing is said is none.
    delete columns[0]!.meta_data;
    await expect(checkGroup(file, 0, ['prompt'])).rejects.toThrow('column prompt is not in it');
  });

  it('however often its columns name the same bytes', async () => {
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'a', data: ['x'.repeat(1_000_000)] }],
    });
    const file = await openParquet(new Blob([bytes]));
    const { columns } = file.metadata.row_groups[0]!;
    const check = async (count: number): Promise<void> => {
      columns.splice(0, columns.length, ...Array.from({ length: count }, () => columns[0]!));
      await checkGroup(file, 0, ['a']);
    };
    // 512 MiB are free, and 256 times the bytes of the file.
    const most = Math.floor((512 * 2 ** 20 + 256 * bytes.byteLength) / 1_000_020);
    await check(most - 1);
    await expect(check(most + 2)).rejects.toThrow('unpack to');
  });

  it('and its rows are all there', async () => {
    const { file } = await opened();
    expect(await readRows(file, ['step'], 18, 22)).toEqual([2, 2, 3, 3].map((step) => ({ step })));
    await expect(readRows(file, ['step'], 29, 31)).rejects.toThrow('there are 1 of 2');
  });
});
