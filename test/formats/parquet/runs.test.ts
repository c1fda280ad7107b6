import { describe, expect, it } from 'vitest';
import { checkRuns } from '../../../src/formats/parquet/pages.ts';
import { skipStruct, varint } from '../../../src/formats/parquet/thrift.ts';
import { structBytes, varint as written, type Struct } from './thrift.ts';

describe('runs of repeated values', () => {
  const check =
    (width: number, count: number, ...bytes: number[]) =>
    () =>
      checkRuns(Uint8Array.from(bytes), width, count);

  it('are as long as the page, together', () => {
    // Two values of nine bits, in two bytes, then one of another.
    expect(check(9, 3, 4, 0xff, 0xff, 2, 0xff, 0xff)).not.toThrow();
    expect(check(9, 4, 4, 0xff, 0xff, 2, 0xff, 0xff)).toThrow('it ends too soon');
    expect(check(9, 2, 4, 0xff, 0xff, 0xff)).not.toThrow();
    expect(check(8, 3, 8, 7)).toThrow('a run of 4 values is longer than its page');
    expect(check(8, 3, 4, 7, 4, 7)).toThrow('a run of 2 values is longer than its page');
    expect(check(0, 3, 6)).not.toThrow();
    expect(check(8, 0)).not.toThrow();
  });

  it('that are packed may be padded to eight values, and by 512 at most', () => {
    // One group of eight values of three bits, in three bytes; then one value.
    expect(check(3, 9, 3, 0xff, 0xff, 0xff, 2, 5)).not.toThrow();
    expect(check(3, 10, 3, 0xff, 0xff, 0xff, 2, 5)).toThrow('it ends too soon');
    expect(check(1, 8, ...written(2 * 65 + 1), ...new Uint8Array(65))).not.toThrow();
    expect(check(1, 7, ...written(2 * 65 + 1), ...new Uint8Array(65))).toThrow(
      'a run of 520 values is longer than its page',
    );
  });

  it('need their bytes, except for the padding', () => {
    const groups = written(2 * 600 + 1);
    expect(check(2, 4800, ...groups, ...new Uint8Array(1200 - 512))).not.toThrow();
    expect(check(2, 4800, ...groups, ...new Uint8Array(1200 - 513))).toThrow(
      'its runs end too soon',
    );
  });

  it('hold values of 32 bits at most', () => {
    expect(check(32, 2, 4, 1, 2, 3, 4)).not.toThrow();
    expect(check(33, 2, 4, 1, 2, 3, 4, 5)).toThrow('values of 33 bits are too wide');
  });

  it('have lengths of five bytes at most', () => {
    expect(check(8, 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)).toThrow('a number in it is too long');
  });
});

it('a number of variable length, and where it ends', () => {
  const read = (at: number, ...bytes: number[]) => varint(Uint8Array.from(bytes), at);
  expect(read(0, 0)).toEqual([0, 1]);
  expect(read(1, 9, 0x7f)).toEqual([127, 2]);
  // The description's own example.
  expect(read(0, 0xac, 0x02)).toEqual([300, 2]);
  expect(read(0, 0xff, 0xff, 0xff, 0xff, 0x0f)).toEqual([2 ** 32 - 1, 5]);
  expect(() => read(0, 0x80)).toThrow('it ends too soon');
  expect(() => read(0, ...new Uint8Array(11).fill(0x80))).toThrow('a number in it is too long');
  expect(() => read(0, ...new Uint8Array(9).fill(0x80), 1)).not.toThrow();
});

describe('a struct is walked to its end', () => {
  const cases: [name: string, struct: Struct][] = [
    ['nothing', {}],
    ['a number', { 1: 5 }],
    ['a number of several bytes', { 1: -123_456_789 }],
    ['truths, whose value is their type', { 1: true, 2: false, 3: 7 }],
    ['texts', { 1: 'abc', 2: '', 3: 'x'.repeat(200) }],
    ['a field far from the last', { 1: 1, 40: 2, 300: true }],
    ['a struct', { 1: { 1: { 2: 'x' } }, 2: 3 }],
    ['lists', { 1: [1, -2, 300], 2: ['a', 'bc'], 3: [{ 1: 1 }, {}], 4: [[1], [2, 3]], 5: [] }],
    ['a long list', { 1: Array.from({ length: 200 }, (_, i) => i), 2: 1 }],
  ];
  const end = (...bytes: number[]): number => skipStruct(Uint8Array.from(bytes), 0);

  it.each(cases)('with %s', (_, struct) => {
    const bytes = structBytes(struct);
    expect(end(...bytes)).toBe(bytes.length);
    expect(end(...bytes, 0x15, 2)).toBe(bytes.length);
    // From another place than the first.
    expect(skipStruct(Uint8Array.from([1, 2, ...bytes]), 2)).toBe(bytes.length + 2);
    // Cut anywhere, it is never whole.
    for (let cut = 0; cut < bytes.length; cut++)
      expect(() => end(...bytes.slice(0, cut))).toThrow(/too soon|too few bytes/);
  });

  it.each([
    ['bytes', [0x13, 9, 0], 3],
    ['short, plain and long numbers', [0x14, 2, 0x15, 2, 0x16, 2, 0], 7],
    ['a number of eight bytes', [0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0], 10],
    ['a list of truths, one byte each', [0x19, 0x21, 1, 2, 0x19, 0x12, 2, 0], 8],
    ['a list of eight bytes each', [0x19, 0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0], 11],
  ])('with %s', (_, bytes, length) => expect(end(...bytes)).toBe(length));

  it('and no farther than what it can hold', () => {
    expect(() => end(0x18, 3, 1, 2)).toThrow('it ends too soon');
    expect(end(0x18, 2, 1, 2, 0)).toBe(5);
    expect(() => end(0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0)).toThrow('too long');
    expect(() => end(0x19, 0x33, 1, 2)).toThrow('it holds a list of 3 in too few bytes');
    expect(() => end(0x19, 0xf3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)).toThrow('too long');
    expect(() => end(0x19)).toThrow('it ends too soon');
    expect(() => end(0x1a, 0)).toThrow('it holds a value of the unknown type 10');
    expect(() => end(0x1d, 0)).toThrow('it holds a value of the unknown type 13');
  });

  it('at most sixteen deep, lists counted', () => {
    const nested = (depth: number): number[] => [
      ...Array.from({ length: depth }, () => 0x1c),
      ...Array.from({ length: depth + 1 }, () => 0),
    ];
    expect(end(...nested(16))).toBe(33);
    expect(() => end(...nested(17))).toThrow('it is nested too deep');
    // A list of one struct is a level, and the struct another.
    const inList = (depth: number): number[] => [0x19, 0x1c, ...nested(depth), 0];
    expect(end(...inList(14))).toBe(3 + 29);
    expect(() => end(...inList(15))).toThrow('it is nested too deep');
  });
});
