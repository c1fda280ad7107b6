import type { ColumnMetaData, SchemaTree } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { compressorsOf, UnpackBudget } from '../../../src/formats/parquet/codecs.ts';
import { checkPages, mostValues } from '../../../src/formats/parquet/pages.ts';
import { structBytes, type Struct } from './thrift.ts';

/** Pages made by hand: parquet.thrift says which number each field and each encoding has. */

const [DATA, INDEX, DICTIONARY, DATA_V2] = [0, 1, 2, 3];
const [PLAIN, RLE, DELTA_BINARY_PACKED, RLE_DICTIONARY] = [0, 3, 5, 8];

const page = (
  type: number | null,
  own: Struct,
  payload: number[] = [],
  sizes: Struct = {},
): number[] => [
  ...structBytes({
    ...(type !== null && { 1: type }),
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
  budget?: UnpackBudget;
  chunk?: Partial<ColumnMetaData>;
}
const check =
  (bytes: number[], { all = 3, path = REQUIRED, budget = new UnpackBudget(0), chunk }: Of = {}) =>
  () =>
    checkPages(Uint8Array.from(bytes), {
      chunk: {
        type: 'INT32',
        codec: 'UNCOMPRESSED',
        num_values: BigInt(all),
        ...chunk,
      } as ColumnMetaData,
      path,
      compressors,
      budget,
    });

describe('the pages of a column', () => {
  it('are read until all its values are there', () => {
    expect(check([...data(2, PLAIN), ...data(1, PLAIN)])).not.toThrow();
    expect(check([...data(3, PLAIN), 0xff, 0xff, 0xff])).not.toThrow();
    expect(check([...data(2, PLAIN), 0xff, 0xff])).toThrow();
    // One byte is no page.
    expect(check([...data(2, PLAIN), 0xff])).not.toThrow();
    expect(check([...data(2, PLAIN), ...data(2, PLAIN)])).toThrow(
      'its pages hold more than the 3 values that it states',
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

  it('have a size that they can unpack to, and all together no more than the budget', () => {
    const most = 2 * 2 ** 20 + 2;
    expect(check(data(3, PLAIN, [1, 2], { 2: most }), { chunk: { codec: 'SNAPPY' } })).toThrow(
      'a size of 2097154 is not between 0 and 1088',
    );
    expect(check(dictionary(1, [1, 2]).concat(data(3, PLAIN)))).not.toThrow();
    const large = page(DICTIONARY, { 7: { 1: 1, 2: PLAIN } }, [1, 2], { 2: most });
    expect(check([...large, ...data(3, PLAIN)])).not.toThrow();
    const tooLarge = page(DICTIONARY, { 7: { 1: 1, 2: PLAIN } }, [1, 2], { 2: most + 1 });
    expect(check(tooLarge)).toThrow('a size of 2097155 is not between 0 and 2097154');
    const budget = new UnpackBudget(0);
    budget.take(32 * 2 ** 20 - 5);
    expect(check(data(3, PLAIN, [1, 2, 3]), { budget })).not.toThrow();
    expect(check(data(3, PLAIN, [1, 2, 3]), { budget })).toThrow('unpack to');
  });

  it('hold as many values as can be believed of their bytes', () => {
    expect(mostValues(0)).toBe(1_048_576);
    expect(mostValues(10)).toBe(1_049_216);
    const most = 1_048_576 + 2 * 64;
    for (const of of [
      (values: number) => data(values, PLAIN, [1, 2]),
      (values: number) => second({ values }, [1, 2]),
    ]) {
      expect(check(of(most), { all: most })).not.toThrow();
      expect(check(of(most + 1), { all: most + 1 })).toThrow(
        `a number of values of ${most + 1} is not between 0 and ${most}`,
      );
      expect(check(of(-1))).toThrow('a number of values of -1 is not between');
    }
    const unsaid = page(DATA, { 5: { 2: PLAIN } }, [1, 2]);
    expect(check(unsaid)).toThrow('a number of values of no number is not between');
    // A dictionary has no more words than bits.
    expect(check([...dictionary(16, [1, 2]), ...data(3, PLAIN)])).not.toThrow();
    expect(check(dictionary(17, [1, 2]))).toThrow(
      'a number of values of 17 is not between 0 and 16',
    );
  });

  it('name an encoding that is not read, and what to do', () => {
    expect(check(data(3, DELTA_BINARY_PACKED))).toThrow(
      'values in the encoding DELTA_BINARY_PACKED are not read; write the file in plain or dictionary encoding',
    );
    expect(check(second({ values: 3, encoding: DELTA_BINARY_PACKED }))).toThrow('are not read');
  });
});

/** A run of `count` equal values, behind its length in four bytes. */
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
    expect(of(three, 1200 - 512)).not.toThrow();
    expect(of(three, 1200 - 513)).toThrow('its runs end too soon');
    expect(of(OPTIONAL, 600 - 512)).not.toThrow();
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

  it('has its values behind the levels, packed or not', () => {
    const of = (payload: number[], fields: Partial<V2> = {}, sizes?: Struct) =>
      check(second({ values: 3, encoding: RLE_DICTIONARY, def: 2, ...fields }, payload, sizes), {
        path: OPTIONAL,
        chunk: { codec: 'SNAPPY' },
      });
    expect(of([6, 1, 8, 6, 7])).not.toThrow();
    expect(of([6, 1, 8, 8, 7])).toThrow('a run of 4 values');
    // Nulls are no values.
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
