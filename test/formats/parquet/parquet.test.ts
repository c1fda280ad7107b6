import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import { importAll } from '../../../src/formats/import/collect.ts';
import { checkRuns } from '../../../src/formats/parquet/pages.ts';
import { skipStruct } from '../../../src/formats/parquet/thrift.ts';
import { ALL_TESTS } from '../../slow/slow.ts';

it('runs are read that fit their page, and no others', () => {
  // 3 values of one byte: a run of 3; then one group of 8 packed values of one bit, padded.
  expect(() => checkRuns(Uint8Array.of(6, 7), 8, 3)).not.toThrow();
  expect(() => checkRuns(Uint8Array.of(3, 0b101), 1, 3)).not.toThrow();
  // A run of 2 ** 27 values in a page of three.
  expect(() => checkRuns(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x01, 7), 8, 3)).toThrow(
    /longer than its page/,
  );
  expect(() => checkRuns(Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0x01), 0, 3)).toThrow(
    /longer than its page/,
  );
  expect(() => checkRuns(Uint8Array.of(4, 7), 8, 3)).toThrow(/too soon/);
});

it('lists are read whose items are there', () => {
  // Field 1, a list of three bytes; then the end.
  expect(skipStruct(Uint8Array.of(0x19, 0x33, 1, 2, 3, 0), 0)).toBe(6);
  // The same list of 2 ** 28 items.
  const many = Uint8Array.of(0x19, 0xf3, 0x80, 0x80, 0x80, 0x80, 0x01, 1, 2, 3, 0);
  expect(() => skipStruct(many, 0)).toThrow(/a list of 268435456 in too few bytes/);
  expect(() => skipStruct(new Uint8Array(200).fill(0x1c), 0)).toThrow(/too deep/);
});

it('a column of one value over and over is no damage', async () => {
  const rows = ALL_TESTS ? 30_000 : 10_000;
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'question', data: Array.from({ length: rows }, (_, i) => `Q${i}?`) },
      { name: 'data_source', data: Array.from({ length: rows }, () => 'nq') },
      { name: 'golden_answers', type: 'JSON', data: Array.from({ length: rows }, () => ['a']) },
    ],
  });
  const { questions, rejected } = await importAll(new Blob([bytes]));
  expect(rejected).toEqual([]);
  expect(questions).toHaveLength(rows);
});
