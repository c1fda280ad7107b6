import { describe, expect, it } from 'vitest';
import { parsePython } from '../../../src/formats/values/python.ts';

describe('what Python prints is read as the value that it was', () => {
  // Left: repr() of Python 3.12 and numpy 2 of the value on the right.
  it.each<[string, unknown]>([
    ["'Albi'", 'Albi'],
    [`"L'Albi"`, "L'Albi"],
    [String.raw`'L\'Albi "x"'`, `L'Albi "x"`],
    [String.raw`'a\n\t\\ \xe9 \u6f22 \U0001f600 \d'`, 'a\n\t\\ é 漢 😀 \\d'],
    ['[]', []],
    ["['Albi', 'City of Albi']", ['Albi', 'City of Albi']],
    ["['Albi' 'City of Albi']", ['Albi', 'City of Albi']],
    [`['Albi'\n "L'Albi"]`, ['Albi', "L'Albi"]],
    ["[['Albi' 'City of Albi']]", [['Albi', 'City of Albi']]],
    ["array(['Albi', 'City of Albi'], dtype=object)", ['Albi', 'City of Albi']],
    ["array(['Albi'], dtype='<U4')", ['Albi']],
    ["np.array(['Albi'])", ['Albi']],
    ["('Albi',)", ['Albi']],
    ["('Albi', 'Nice')", ['Albi', 'Nice']],
    ["('Albi')", 'Albi'],
    ["{'Albi', 'Nice'}", ['Albi', 'Nice']],
    ['{}', {}],
    ["{'a': 1, 2: [None, True, False]}", { a: 1, 2: [null, true, false] }],
    ["{'x': nan, 'y': -inf, 'z': np.float64(0.5)}", { x: null, y: null, z: 0.5 }],
    ['[1, -2.5, 1e-05, .5, 3.]', [1, -2.5, 1e-5, 0.5, 3]],
    ['[9007199254740993]', ['9007199254740993']],
    ["{'a': 'b',}", { a: 'b' }],
  ])('%s', (text, value) => expect(parsePython(text)).toEqual(value));

  it.each([
    '',
    'Albi',
    '[Albi]',
    "['Albi'",
    "'Albi",
    "['Albi'] x",
    "{'a' 'b'}",
    "{'a': 1, 'b'}",
    "('Albi' 'Nice')",
    '[0, 1)',
    '[...]',
    "open('x')",
    "array(['a'], dtype=object",
    '[--1]',
    '['.repeat(5000),
  ])('%s is no value', (text) => expect(() => parsePython(text)).toThrow(SyntaxError));

  it('a member of a dict may have any name', () => {
    const value = parsePython("{'__proto__': 1, 'constructor': 2}");
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  });
});
