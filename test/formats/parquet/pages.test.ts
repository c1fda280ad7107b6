import type { ColumnMetaData, SchemaTree } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { compressorsOf, ReadBudget } from '../../../src/formats/parquet/codecs.ts';
import { checkPages } from '../../../src/formats/parquet/pages.ts';
import { structBytes, type Struct } from './thrift.ts';

/** Pages made by hand: parquet.thrift says which number each field and each encoding has. */

const [DATA, INDEX, DICTIONARY, DATA_V2] = [0, 1, 2, 3];
const [PLAIN, RLE, DELTA_BINARY_PACKED, DELTA_BYTE_ARRAY] = [0, 3, 5, 7];
const [RLE_DICTIONARY, BYTE_STREAM_SPLIT] = [8, 9];

const kindOf = (type: number | null): Struct => (type === null ? {} : { 1: type });

const page = (
  type: number | null,
  own: Struct,
  payload: number[] = [],
  sizes: Struct = {},
): number[] => [
  ...structBytes({
    ...kindOf(type),
    2: payload.length,
    3: payload.length,
    ...sizes,
    ...own,
  }),
  ...payload,
];
const data = (values: number, encoding: number, payload: number[] = [], sizes?: Struct): number[] =>
  page(DATA, { 5: { 1: values, 2: encoding, 3: RLE, 4: RLE } }, payload, sizes);
const dictionary = (values: number, payload: number[]): number[] =>
  page(DICTIONARY, { 7: { 1: values, 2: PLAIN } }, payload);

interface V2 {
  values: number;
  nulls?: number;
  rows?: number;
  encoding?: number;
  def?: number;
  rep?: number;
  compressed?: boolean;
}
const second = (
  { values, nulls = 0, rows = 0, encoding = PLAIN, def = 0, rep = 0, compressed = false }: V2,
  payload: number[] = [],
  sizes?: Struct,
): number[] =>
  page(
    DATA_V2,
    { 8: { 1: values, 2: nulls, 3: rows, 4: encoding, 5: def, 6: rep, 7: compressed } },
    payload,
    sizes,
  );

type Repetition = 'REQUIRED' | 'OPTIONAL' | 'REPEATED';
const pathOf = (...repetitions: Repetition[]): SchemaTree[] =>
  repetitions.map((repetition_type, i) => ({
    children: [],
    count: 1,
    path: [],
    element: { name: `c${i}`, repetition_type },
  }));
const REQUIRED = pathOf('REQUIRED', 'REQUIRED');
const OPTIONAL = pathOf('REQUIRED', 'OPTIONAL');
/** As a list is written: one level of repetition, three of definition. */
const LIST = pathOf('REQUIRED', 'OPTIONAL', 'REPEATED', 'OPTIONAL');

const compressors = await compressorsOf(new Set(['SNAPPY']));
interface Of {
  all?: number;
  path?: SchemaTree[];
  budget?: ReadBudget;
  chunk?: Partial<ColumnMetaData>;
}
const check =
  (bytes: number[], { all = 3, path = REQUIRED, budget = new ReadBudget(0), chunk }: Of = {}) =>
  () =>
    checkPages(Uint8Array.from(bytes), all, {
      chunk: { type: 'INT32', codec: 'UNCOMPRESSED', ...chunk } as ColumnMetaData,
      path,
      compressors,
      budget,
    });

describe('the pages of a column', () => {
  it('are walked as far as they are read: of a flat column until all rows are there', () => {
    expect(check([...data(2, PLAIN), ...data(1, PLAIN)])()).toBe(3);
    expect(check([...data(3, PLAIN), 0xff, 0xff, 0xff])()).toBe(3);
    expect(check([...data(2, PLAIN), 0xff, 0xff])).toThrow();
    // One byte is not a page.
    expect(check([...data(2, PLAIN), 0xff])()).toBe(2);
    // Of a nested column to the end, as one row has any number of values.
    const nested = { path: LIST, all: 1 };
    const values = data(3, PLAIN, [...levels(3), ...levels(3)]);
    expect(check([...values, ...values], nested)()).toBe(6);
    expect(check([...values, ...data(3, PLAIN, [...levels(3), ...levels(4)])], nested)).toThrow(
      'a run of 4 values',
    );
  });

  it('lie within it', () => {
    expect(check(data(3, PLAIN, [1, 2], { 3: 3 }))).toThrow('a size of 3 is not between 0 and 2');
    expect(check(data(3, PLAIN, [1, 2], { 3: -1 }))).toThrow('a size of -1 is not between');
    expect(check(data(3, PLAIN, [1, 2], { 3: 2 }))).not.toThrow();
  });

  it('are of a kind that is known', () => {
    expect(check(page(INDEX, {}))).toThrow('a page of the type INDEX_PAGE is not read');
    expect(check(page(null, {}))).toThrow('a page of the type none is not read');
    expect(check(page(9, {}))).toThrow('a page of the type none is not read');
    // Without the header of their kind, or with another's.
    expect(check(page(DATA, {}))).toThrow('a page of the type DATA_PAGE is not read');
    expect(check(page(DICTIONARY, {}))).toThrow('a page of the type DICTIONARY_PAGE is not read');
    expect(check(page(DATA_V2, {}))).toThrow('a page of the type DATA_PAGE_V2 is not read');
    expect(check(page(INDEX, { 7: { 1: 1, 2: 0 } }))).toThrow('INDEX_PAGE is not read');
    expect(check(page(INDEX, { 5: { 1: 3, 2: 0 } }))).toThrow('INDEX_PAGE is not read');
    expect(check(page(INDEX, { 8: { 1: 3, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0 } }))).toThrow(
      'INDEX_PAGE is not read',
    );
  });

  it('take no more memory than the budget of their row group, however few bytes they are', () => {
    const left = (bytes: number): ReadBudget => {
      const budget = new ReadBudget(0);
      budget.take(512 * 2 ** 20 - bytes);
      return budget;
    };
    // Three bytes, and three values of 16 bytes each.
    expect(check(data(3, PLAIN, [1, 2, 3]), { budget: left(51) })).not.toThrow();
    expect(check(data(3, PLAIN, [1, 2, 3]), { budget: left(50) })).toThrow('unpack to');
    // A nested value takes more: three levels above the flat one of 64 bytes each.
    const nested = data(3, PLAIN, [...levels(3), ...levels(3)]);
    const bytes = 12 + 3 * (16 + 2 * 64);
    expect(check(nested, { path: LIST, budget: left(bytes) })).not.toThrow();
    expect(check(nested, { path: LIST, budget: left(bytes - 1) })).toThrow('unpack to');
    for (const of of [
      (values: number) => data(values, PLAIN, [1, 2]),
      (values: number) => second({ values }, [1, 2]),
    ]) {
      expect(check(of(2 ** 30), { all: 2 ** 30 })).toThrow('unpack to');
      expect(check(of(-1))).toThrow('a number of values of -1 is not between');
    }
    expect(check(data(3, PLAIN, [1, 2], { 2: 2 ** 30 }))).toThrow('unpack to');
    expect(check(data(3, PLAIN, [1, 2], { 2: -1 }))).toThrow('a size of -1 is not between');
    const unsaid = page(DATA, { 5: { 2: PLAIN } }, [1, 2]);
    expect(check(unsaid)).toThrow('a number of values of no number is not between');
    // A dictionary has no more words than bits.
    expect(check([...dictionary(16, [1, 2]), ...data(3, PLAIN)])).not.toThrow();
    expect(check(dictionary(17, [1, 2]))).toThrow(
      'a number of values of 17 is not between 0 and 16',
    );
  });

  it('may be packed as differences, whose blocks must be there', () => {
    // Blocks of 128 in 4 parts, three values, the first of them 7; then the least difference and the widths.
    const head = [0x80, 0x01, 4, 3, 14];
    const block = [2, 1, 0, 0, 0, ...new Uint8Array(4)];
    const of = (payload: number[]) => check(data(3, DELTA_BINARY_PACKED, payload));
    expect(of([...head, ...block])).not.toThrow();
    expect(of([...head, ...block.slice(0, -1)])).toThrow('it ends too soon');
    expect(of([...head, 2, 255])).toThrow('it ends too soon');
    expect(of([0, 4, 3, 14, ...block])).toThrow('its blocks have no size');
    expect(of([0x80, 0x01, 0, 3, 14, ...block])).toThrow('its blocks have no size');
    // A number of any length would take hyparquet minutes.
    expect(of(Array.from({ length: 2000 }, () => 0xff))).toThrow('a number in it is too long');
    expect(of([...head, ...Array.from({ length: 2000 }, () => 0xff)])).toThrow('too long');
  });

  it('that repeat prefixes state how long they are', () => {
    // Of three values: prefixes of 0, then 2^29 each, in parts without bits; suffixes of no bytes.
    const zigzag = [0x80, 0x80, 0x80, 0x80, 0x04];
    const prefixes = [0x80, 0x01, 4, 3, 0, ...zigzag, 0, 0, 0, 0];
    const suffixes = [0x80, 0x01, 4, 3, 0, 0, 0, 0, 0, 0];
    const of = (payload: number[]) =>
      check(data(3, DELTA_BYTE_ARRAY, payload), { chunk: { type: 'BYTE_ARRAY' } });
    expect(of([...prefixes, ...suffixes])).toThrow('unpack to');
    expect(of([...suffixes, ...suffixes])).not.toThrow();
    expect(of(suffixes)).toThrow('it ends too soon');
  });

  it('whose bytes are split by place have no wider values than they have bytes', () => {
    const of = (width: number) =>
      check(data(3, BYTE_STREAM_SPLIT, [1, 2, 3, 4, 5, 6]), {
        chunk: { type: 'FIXED_LEN_BYTE_ARRAY' },
        path: [...REQUIRED.slice(0, 1), ...REQUIRED.slice(1)].map((node) => ({
          ...node,
          element: { ...node.element, type_length: width },
        })),
      });
    expect(of(2)).not.toThrow();
    expect(of(3)).toThrow('a width of 3 is not between 0 and 2');
  });
});

/** A run of `count` equal values, after its length in four bytes. */
const levels = (count: number): number[] => [2, 0, 0, 0, 2 * count, 1];

describe('a page of version 1', () => {
  it('begins with the levels that its column has', () => {
    expect(check(data(3, PLAIN, levels(3)), { path: OPTIONAL })).not.toThrow();
    expect(check(data(3, PLAIN, levels(4)), { path: OPTIONAL })).toThrow('a run of 4 values');
    expect(check(data(3, PLAIN, []), { path: OPTIONAL })).toThrow('a page ends too soon');
    expect(check(data(3, PLAIN, [0, 0, 0]), { path: OPTIONAL })).toThrow('a page ends too soon');
    expect(check(data(0, PLAIN, [0, 0, 0, 0]), { path: OPTIONAL })).not.toThrow();
    expect(check(data(3, PLAIN, [3, 0, 0, 0, 6, 1]), { path: OPTIONAL })).toThrow(
      'a length of 3 is not between 0 and 2',
    );
    expect(check(data(3, PLAIN, [...levels(3), ...levels(3)]), { path: LIST })).not.toThrow();
    expect(check(data(3, PLAIN, levels(3)), { path: LIST })).toThrow('a page ends too soon');
    expect(check(data(3, PLAIN, [...levels(4), ...levels(3)]), { path: LIST })).toThrow(
      'a run of 4',
    );
    expect(check(data(3, PLAIN, [...levels(3), ...levels(4)]), { path: LIST })).toThrow(
      'a run of 4',
    );
  });

  it('has levels of as many bits as their number needs', () => {
    // 600 groups of eight: of three levels two bits each, of one level one.
    const packed = (bytes: number): number[] => [
      ...[bytes + 2, 0].flatMap((n) => [n % 256, n >> 8]),
      0xb1,
      0x09,
      ...new Uint8Array(bytes),
    ];
    const three = pathOf('REQUIRED', 'OPTIONAL', 'OPTIONAL', 'OPTIONAL');
    const of = (path: SchemaTree[], bytes: number) =>
      check(data(4800, PLAIN, packed(bytes)), { path, all: 4800 });
    expect(of(three, 1200)).not.toThrow();
    expect(of(three, 1200 - 513)).toThrow('its runs end too soon');
    expect(of(OPTIONAL, 600)).not.toThrow();
    expect(of(OPTIONAL, 600 - 513)).toThrow('its runs end too soon');
  });

  it('of a column that is the file itself has no levels of repetition', () => {
    expect(check(data(3, PLAIN, []), { path: pathOf('REPEATED') })).not.toThrow();
  });

  it('may be packed', () => {
    const chunk = { codec: 'SNAPPY' } as const;
    // Snappy: the length, then six bytes as they are.
    const packed = [6, 5 << 2, ...levels(3)];
    expect(check(data(3, PLAIN, packed, { 2: 6 }), { chunk, path: OPTIONAL })).not.toThrow();
    const wrong = [6, 5 << 2, ...levels(4)];
    expect(check(data(3, PLAIN, wrong, { 2: 6 }), { chunk, path: OPTIONAL })).toThrow('a run of 4');
  });

  it('of a dictionary has the width of its numbers, then runs of them', () => {
    expect(check(data(3, RLE_DICTIONARY, [8, 6, 7]))).not.toThrow();
    expect(check(data(3, RLE_DICTIONARY, [8, 8, 7]))).toThrow('a run of 4 values');
    expect(check(data(3, RLE_DICTIONARY, [33, 6, 7]))).toThrow('values of 33 bits are too wide');
    expect(check(data(3, RLE_DICTIONARY, []))).toThrow('a page ends too soon');
    // Of one word, nothing needs to be said; of no values, neither.
    expect(check(data(3, RLE_DICTIONARY, [0]))).not.toThrow();
    expect(check(data(0, RLE_DICTIONARY, []))).not.toThrow();
    expect(check(data(3, RLE_DICTIONARY, [1]))).toThrow('it ends too soon');
  });

  it('of a dictionary has runs of its values, and none of its nulls', () => {
    const of = (payload: number[]) => check(data(3, RLE_DICTIONARY, payload), { path: OPTIONAL });
    // Levels of one run of two that are there, and one null.
    const oneNull = [4, 0, 0, 0, 4, 1, 2, 0];
    expect(of([...oneNull, 8, 4, 7])).not.toThrow();
    expect(of([...oneNull, 8, 6, 7])).toThrow('a run of 3 values is longer than its page');
    expect(of([...oneNull, 8, 2, 7])).toThrow('it ends too soon');
    // One packed group of eight levels, of which the first three count: 1, 0, 1.
    expect(of([2, 0, 0, 0, 3, 0b101, 8, 4, 7])).not.toThrow();
    // Nulls only: nothing follows, or a width and nothing.
    expect(of([2, 0, 0, 0, 6, 0])).not.toThrow();
    expect(of([2, 0, 0, 0, 6, 0, 8])).not.toThrow();
  });

  it('of truths has the length of its runs', () => {
    const chunk = { type: 'BOOLEAN' } as const;
    expect(check(data(3, RLE, levels(3)), { chunk })).not.toThrow();
    expect(check(data(3, RLE, levels(4)), { chunk })).toThrow('a run of 4 values');
    expect(check(data(3, PLAIN, [7]), { chunk })).not.toThrow();
  });
});

describe('a page of version 2', () => {
  it('says how many rows, nulls and bytes of levels it has, within its bounds', () => {
    const v2 = (fields: Partial<V2>, payload: number[] = [], path = REQUIRED) =>
      check(second({ values: 3, ...fields }, payload), { path });
    expect(v2({ rows: 3, nulls: 3 })).not.toThrow();
    expect(v2({ rows: 4 })).toThrow('a number of rows of 4 is not between 0 and 3');
    expect(v2({ nulls: 4 })).toThrow('a number of nulls of 4 is not between 0 and 3');
    expect(v2({ rep: 3 }, [1, 2])).toThrow('a length of 3 is not between 0 and 2');
    expect(v2({ rep: 1, def: 2 }, [1, 2])).toThrow('a length of 2 is not between 0 and 1');
    expect(v2({ rep: 1, def: 1 }, [1, 2])).not.toThrow();
  });

  it('has levels without their lengths, those of repetition first', () => {
    const list = (payload: number[]) =>
      check(second({ values: 3, rep: 2, def: 2 }, payload), { path: LIST });
    expect(list([6, 1, 6, 1])).not.toThrow();
    expect(list([8, 1, 6, 1])).toThrow('a run of 4 values');
    expect(list([6, 1, 8, 1])).toThrow('a run of 4 values');
    const optional = (payload: number[], def: number) =>
      check(second({ values: 3, def }, payload), { path: OPTIONAL });
    expect(optional([6, 1], 2)).not.toThrow();
    expect(optional([6, 1], 0)).toThrow('it ends too soon');
    // What a column has no levels for is not looked at.
    expect(check(second({ values: 3, rep: 2, def: 2 }, [8, 1, 8, 1]))).not.toThrow();
  });

  it('has its values after the levels, packed or not', () => {
    const of = (payload: number[], fields: Partial<V2> = {}, sizes?: Struct) =>
      check(second({ values: 3, encoding: RLE_DICTIONARY, def: 2, ...fields }, payload, sizes), {
        path: OPTIONAL,
        chunk: { codec: 'SNAPPY' },
      });
    expect(of([6, 1, 8, 6, 7])).not.toThrow();
    expect(of([6, 1, 8, 8, 7])).toThrow('a run of 4 values');
    // Nulls are not values.
    expect(of([6, 1, 8, 4, 7], { nulls: 1 })).not.toThrow();
    expect(of([6, 1, 8, 6, 7], { nulls: 1 })).toThrow('a run of 3 values');
    expect(of([6, 1], { nulls: 3 })).not.toThrow();
    // A width of nothing still has its runs here.
    expect(of([6, 1, 0, 6])).not.toThrow();
    expect(of([6, 1, 0])).toThrow('it ends too soon');
    const packed = [6, 1, 3, 2 << 2, 8, 6, 7];
    expect(of(packed, { compressed: true }, { 2: 5 })).not.toThrow();
    expect(of([6, 1, 3, 2 << 2, 8, 8, 7], { compressed: true }, { 2: 5 })).toThrow('a run of 4');
    expect(of(packed, { compressed: true }, { 2: 1 })).toThrow(
      'a size of -1 is not between 0 and 1',
    );
  });
});
