import { describe, expect, it } from 'vitest';
import { sniff } from '../../../../src/formats/rollouts/container/sniff.ts';

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)],
    ),
  );
const utf16 = (text: string, little: boolean): Uint8Array =>
  Uint8Array.from(
    Array.from(text).flatMap((char) => {
      const code = char.charCodeAt(0);
      return little ? [code & 255, code >> 8] : [code >> 8, code & 255];
    }),
  );

describe('what a file is, by its first bytes', () => {
  it.each([
    ['nothing', bytes(), 'empty'],
    ['parquet', bytes('PAR1x'), 'parquet'],
    ['a zip', bytes('PK', 3, 4, 'x'), 'zip'],
    ['gzip', bytes(0x1f, 0x8b, 8), 'gzip'],
    ['lines of JSON', bytes('{"a":1}\n{"a":2}\n'), 'lines'],
    ['one document on several lines', bytes('{\n  "a": 1\n}'), 'document'],
    ['the same of another system', bytes('{ \t\r\n"a": 1}'), 'document'],
    ['a list', bytes(' \n[{"a":1}]'), 'document'],
    ['a list after a mark', bytes(0xef, 0xbb, 0xbf, '[1]'), 'document'],
    ['lines of text', bytes('a,b\n1,2\n'), 'lines'],
  ])('%s', (_, head, kind) => {
    expect(sniff(head).kind).toBe(kind);
  });

  it.each([
    ['with a mark', Uint8Array.of(0xff, 0xfe, ...utf16('{"a"', true)), 'utf-16le'],
    ['with the other mark', Uint8Array.of(0xfe, 0xff, ...utf16('{"a"', false)), 'utf-16be'],
    ['without', utf16('{"a":1}', true), 'utf-16le'],
    ['without, the other way', utf16('["a"]', false), 'utf-16be'],
  ])('text of two bytes a character, %s', (_, head, label) => {
    expect(sniff(head)).toEqual({ kind: 'utf-16', label });
  });

  it.each([
    ['safetensors', bytes(64, 0, 0, 0, 0, 0, 0, 0, '{"a":{"dtype":"F32"}}'), 'safetensors'],
    ['a pickle', bytes(0x80, 4, 0x95, 0, 0), 'pickle'],
    ['other binary data', bytes('abc', 0, 1, 2, 3, 4, 'def'), 'not text'],
  ])('%s is distinguished from rollouts and named', (_, head, what) => {
    expect(JSON.stringify(sniff(head))).toContain(what);
    expect(['lines', 'document']).not.toContain(sniff(head).kind);
  });

  it('is lines, whatever characters are in their texts', () => {
    expect(sniff(bytes('{"a":"', 0x1b, '[0m', 7, '"}')).kind).toBe('lines');
    expect(sniff(bytes('tab\tand line\r\n', 'x'.repeat(200), 1)).kind).toBe('lines');
  });
});
