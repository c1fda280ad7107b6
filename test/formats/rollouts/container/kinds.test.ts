import { describe, expect, test } from 'vitest';
import { sniff } from '../../../../src/formats/rollouts/container/sniff.ts';

/** One byte a character. */
const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

const UNPACK = 'Unpack it and open the rollout files in it';
const BESIDE = 'Open the rollouts file itself';
const TABLE = 'Write the table as parquet or as JSON lines';
const LINES = 'Write the rollouts in it as JSON lines';
const PICKLE = 'Write its rollouts as JSON lines; pickles can run code and are not read';
const UTF8 = 'Write it in UTF-8 (iconv -f UTF-32 -t UTF-8)';

test.each([
  ['PK\x05\x06', 'an empty zip archive', UNPACK],
  ['\x28\xb5\x2f\xfd', 'compressed by Zstandard', 'Unpack it first (zstd -d)'],
  ['BZh91AY', 'compressed by bzip2', 'Unpack it first (bunzip2)'],
  ['\xfd7zXZ\x00', 'compressed by xz', 'Unpack it first (xz -d)'],
  ['\x04\x22\x4d\x18', 'compressed by LZ4', 'Unpack it first (lz4 -d)'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', UNPACK],
  ['Rar!\x1a\x07\x01', 'a RAR archive', UNPACK],
  [`name.jsonl${'\0'.repeat(247)}ustar\x0000`, 'a tar archive', UNPACK],
  ['ARROW1\0\0', 'an Arrow file', TABLE],
  ['ORC', 'an ORC file', TABLE],
  ['Obj\x01', 'an Avro file', TABLE],
  ['SQLite format 3\x00', 'an SQLite database', LINES],
  ['\x89HDF\r\n', 'an HDF5 file', LINES],
  ['\x93NUMPY\x01', 'a NumPy array', BESIDE],
  [
    'GGUF',
    'a GGUF model',
    'Open it on the Models page with "Open a model file", or give it to a command with --policy',
  ],
  ['%PDF-1.7', 'a PDF document', BESIDE],
  ['\x89PNG\r\n', 'a picture (PNG)', BESIDE],
  ['\xff\xd8\xff\xe0', 'a picture (JPEG)', BESIDE],
  ['GIF89a', 'a picture (GIF)', BESIDE],
  ['\x7fELF\x02', 'a program', BESIDE],
  ['\xff\xfe\x00\x00{\0\0\0', 'text in UTF-32', UTF8],
  ['\x00\x00\xfe\xff\0\0\0{', 'text in UTF-32', UTF8],
  ['\x80\x02}', 'a Python pickle', PICKLE],
  ['\x80\x05\x95', 'a Python pickle', PICKLE],
  ['\x40\x1f\0\0\0\0\0\0{"a"', 'a file of weights (safetensors)', BESIDE],
])('%j: what it is, and what to do', (head, what, todo) => {
  expect(sniff(bytes(head))).toEqual({ kind: 'other', what, todo });
});

describe('what looks like one of them and is none', () => {
  test.each([
    ['the mark of a tar archive elsewhere', `${' '.repeat(256)}ustar`, 'lines'],
    ['a version before frames', `\x80\x01${'x'.repeat(98)}`, 'lines'],
    ['a version that there is not', `\x80\x06${'x'.repeat(98)}`, 'lines'],
    ['its sign alone', '\x80', 'lines'],
    ['a header that is too long for one', '\x40\0\0\0\0\x01\0\0{"a"', 'other'],
    ['a brace in the ninth place of a text', 'abcdefgh{"a":1}', 'lines'],
    ['marks of records that are not in front', ' PAR1', 'lines'],
    ['a bracket behind text', 'a[1]', 'lines'],
    ['an object on one line', '{"a":1}', 'lines'],
    ['text of two bytes a character that is no JSON', 'a\0b\0', 'other'],
  ])('%s', (_, head, kind) => expect(sniff(bytes(head)).kind).toBe(kind));
});

describe('text and binary data, by the share of control characters', () => {
  const mixed = (control: string, of: number): string =>
    sniff(bytes(`x${control.repeat(2)}${'y'.repeat(of - 3)}`)).kind;
  test('two of a hundred are still text, two of 99 are not', () => {
    expect(mixed('\x01', 100)).toBe('lines');
    expect(mixed('\x01', 99)).toBe('other');
  });
  test.each([
    ['\x08', 'other'],
    ['\x0e', 'other'],
    ['\x1f', 'other'],
    ['\x7f', 'other'],
    ['\t', 'lines'],
    ['\r', 'lines'],
    // The escape of terminals' colours.
    ['\x1b', 'lines'],
    ['\x7e', 'lines'],
    [' ', 'lines'],
    ['\x80', 'lines'],
  ])('%j', (control, kind) => expect(mixed(control, 50)).toBe(kind));

  test('an object may hold any', () => {
    expect(sniff(bytes('{"a":"\x01\x02\x03"}')).kind).toBe('lines');
    expect(sniff(bytes('\xef\xbb\xbf {"\x01\x02": 1}')).kind).toBe('lines');
  });
});

test.each([
  ['\xff\xfeab', 'utf-16le'],
  ['\xfe\xffab', 'utf-16be'],
  ['[\0"\0', 'utf-16le'],
  ['{\0"\0', 'utf-16le'],
  ['\0[\0"', 'utf-16be'],
  ['\0{\0"', 'utf-16be'],
])('%j is text of two bytes a character', (head, label) =>
  expect(sniff(bytes(head))).toEqual({ kind: 'utf-16', label }),
);
