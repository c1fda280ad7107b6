import { expect, it } from 'vitest';
import { parseJson } from '../../src/base/fetch-file.ts';

it('parses JSON, and names the file that is none', () => {
  expect(parseJson(new TextEncoder().encode('{"a":1}'), 'a.json')).toEqual({ a: 1 });
  expect(() => parseJson(new TextEncoder().encode('{'), 'a.json')).toThrow(
    'a.json: not valid JSON',
  );
  // A byte that no UTF-8 text has.
  expect(() => parseJson(new Uint8Array([0x22, 0xff, 0x22]), 'a.json')).toThrow('not valid JSON');
});
