import { describe, expect, it } from 'vitest';
import { lineValues, parseJson } from '../../../src/formats/values/json.ts';

describe('JSON as Python writes it', () => {
  it.each<[string, unknown]>([
    ['{"a":NaN,"b":-Infinity,"c":"NaN"}', { a: null, b: null, c: 'NaN' }],
    // As numbers, both would be 9007199254740992.
    ['[9007199254740993, 9007199254740992]', ['9007199254740993', '9007199254740992']],
    ['[-9007199254740993]', ['-9007199254740993']],
    ['{"uid":9007199254740993,"x":NaN}', { uid: '9007199254740993', x: null }],
    ['[9007199254740991, 1000000000000000]', [9007199254740991, 1000000000000000]],
    // Digits of a fraction, of an exponent and of a text are left alone.
    ['[0.1234567890123456, -0.1234567890123456]', [0.1234567890123456, -0.1234567890123456]],
    ['[1234567890123456.5, 1e+0000000000000001]', [1234567890123456.5, 10]],
    [
      '{"9007199254740993":"9007199254740993 \\" 9007199254740993"}',
      { '9007199254740993': '9007199254740993 " 9007199254740993' },
    ],
  ])('%s', (text, value) => expect(parseJson(text)).toEqual(value));

  it('is refused where it is none', () => {
    expect(() => parseJson('{"a":NaN')).toThrow(SyntaxError);
    expect(() => parseJson('9007199254740993 x')).toThrow(SyntaxError);
  });
});

describe('the values of a line', () => {
  const values = (text: string): unknown[] =>
    lineValues(text).map((one) => ('value' in one ? one.value : one.error.name));

  it.each<[string, unknown[]]>([
    ['{"a":1}', [{ a: 1 }]],
    ['{"a":1},', [{ a: 1 }]],
    [' {"a":1} , ', [{ a: 1 }]],
    ['{"a":1}{"a":2}', [{ a: 1 }, { a: 2 }]],
    ['{"a":"}{"}, {"a":[{}]}', [{ a: '}{' }, { a: [{}] }]],
    ['{"a":1}{"a":', [{ a: 1 }, 'SyntaxError']],
    ['{"a":1}{a}{"a":3}', [{ a: 1 }, 'SyntaxError', { a: 3 }]],
    ['{"a":1} and more', [{ a: 1 }, 'SyntaxError']],
    ["{'a': 'it''s'}", ['SyntaxError']],
    ["{'a': \"it's\", 'b': None}", [{ a: "it's", b: null }]],
    ['{"a":', ['SyntaxError']],
    ['words', ['SyntaxError']],
    [']', ['SyntaxError']],
    ['', ['SyntaxError']],
  ])('%s', (text, expected) => expect(values(text)).toEqual(expected));

  it('what is no JSON is said in the words of JSON', () => {
    const [only] = lineValues('{"a":');
    expect(only).toMatchObject({ error: { message: expect.stringContaining('JSON') as string } });
  });

  it('a long line of brackets is no hang', () => {
    for (const text of ['['.repeat(200_000), '{"a":[' + '[],'.repeat(200_000), '"'.repeat(200_001)])
      expect(values(text).at(-1)).toBe('SyntaxError');
  });
});
