import { describe, expect, test } from 'vitest';
import { completionsAt } from '../../../../src/evaluate/rollouts/filter/complete.ts';
import { FilterError } from '../../../../src/evaluate/rollouts/filter/error.ts';
import { fieldOf, FIELDS, OPERATORS } from '../../../../src/evaluate/rollouts/filter/fields.ts';
import { parseFilter } from '../../../../src/evaluate/rollouts/filter/parse.ts';
import { compilePattern } from '../../../../src/evaluate/rollouts/filter/pattern.ts';
import { printFilter, printValue } from '../../../../src/evaluate/rollouts/filter/ast.ts';
import { tokenize } from '../../../../src/evaluate/rollouts/filter/tokenize.ts';

const faultOf = (read: () => unknown): FilterError => {
  try {
    read();
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

describe('limits: the largest that is read, and one more', () => {
  const deep = (levels: number): string => `${'('.repeat(levels)}em = 1${')'.repeat(levels)}`;
  test.each([
    ['levels of brackets', (n: number) => () => parseFilter(deep(n)), 59, 'at most 60 levels'],
    [
      'levels of “not”',
      (n: number) => () => parseFilter(`${'not '.repeat(n)}em = 1`),
      59,
      'at most 60 levels',
    ],
    [
      'characters of a filter',
      (n: number) => () => parseFilter(`"${'x'.repeat(n - 2)}"`),
      4000,
      'at most 4000 characters',
    ],
    [
      'characters of a pattern',
      (n: number) => () => compilePattern('x'.repeat(n), ''),
      500,
      'at most 500 characters',
    ],
    [
      'groups in groups',
      (n: number) => () => compilePattern(`${'('.repeat(n)}x${')'.repeat(n)}`, ''),
      59,
      'nested too deeply',
    ],
    // The end of the match is a node of its own.
    ['nodes of a pattern', (n: number) => () => compilePattern(`x{${n}}`, ''), 3999, 'too large'],
    [
      'nodes of an optional one, two each',
      (n: number) => () => compilePattern(`x{0,${n}}`, ''),
      1999,
      'too large',
    ],
  ])('%s', (_, of, most, message) => {
    expect(of(most)).not.toThrow();
    expect(faultOf(of(most + 1)).message).toContain(message);
  });

  test('neighbours are not nested', () => {
    const wide = Array.from({ length: 200 }, () => '(not em = 1)').join(' or ');
    expect(parseFilter(wide)).toMatchObject({ kind: 'or' });
    expect(compilePattern('(x)'.repeat(100), '')('x'.repeat(100))).toBe(true);
  });

  test('a long filter’s fault is behind what may be read, and a count says how large it is', () => {
    const fault = faultOf(() => tokenize(' '.repeat(4001)));
    expect([fault.position, fault.length]).toEqual([4000, 0]);
    expect(fault.message).toBe('at character 4001: expected at most 4000 characters, found 4001');
    expect(faultOf(() => compilePattern('x{5000}', '')).message).toContain('a count of 5000');
    expect(faultOf(() => compilePattern('x{4001}', '')).message).toContain('a count of 4001');
  });
});

describe('tokens', () => {
  test.each([
    [
      'em<=1',
      [
        ['word', 'em', 0, 2],
        ['operator', '<=', 2, 4],
        ['word', '1', 4, 5],
      ],
    ],
    [
      '(a!=b)',
      [
        ['open', '(', 0, 1],
        ['word', 'a', 1, 2],
        ['operator', '!=', 2, 4],
        ['word', 'b', 4, 5],
        ['close', ')', 5, 6],
      ],
    ],
    [
      ' a\t=\n"b c" ',
      [
        ['word', 'a', 1, 2],
        ['operator', '=', 3, 4],
        ['string', 'b c', 5, 10],
      ],
    ],
    [String.raw`"\"\\\n\t\q"`, [['string', '"\\\n\tq', 0, 12]]],
    ['""', [['string', '', 0, 2]]],
    [
      '/a[/]b/i x',
      [
        ['pattern', 'a[/]b', 0, 8],
        ['word', 'x', 9, 10],
      ],
    ],
    [String.raw`/\/[\]/]/`, [['pattern', String.raw`\/[\]/]`, 0, 9]]],
    ['a/b', [['word', 'a/b', 0, 3]]],
    ['', []],
  ])('%j', (text, expected) =>
    expect(tokenize(text).map(({ kind, value, start, end }) => [kind, value, start, end])).toEqual(
      expected,
    ),
  );

  test.each([
    ['em "x', 3, 2, 'a closing "'],
    ['em "x\\', 3, 3, 'a closing "'],
    ['/a[/', 0, 4, 'a closing / of the pattern'],
    ['em ! 1', 3, 1, 'a field, an operator or a value'],
  ])('%s is refused at %i', (text, position, length, expected) => {
    const fault = faultOf(() => tokenize(text));
    expect([fault.position, fault.length, fault.expected]).toEqual([position, length, expected]);
  });

  test('flags belong to the pattern, in either case; other flags are refused', () => {
    expect(tokenize('/a/ims')[0]?.flags).toBe('ims');
    expect(tokenize('/a/ i')[0]?.flags).toBe('');
    for (const flags of ['I', 'ii', 'g', 'iu'])
      expect(faultOf(() => parseFilter(`/a/${flags}`)).expected).toContain('flags i, m, s');
  });
});

describe('what is read', () => {
  test.each([
    ['reward.a_b >= -1.5e2', { kind: 'number', field: 'reward.a_b', operator: '>=', value: -150 }],
    ['em = -0', { kind: 'number', field: 'em', operator: '=', value: 0 }],
    ['em < .5', { kind: 'number', field: 'em', operator: '<', value: 0.5 }],
    ['em < 5.', { kind: 'number', field: 'em', operator: '<', value: 5 }],
    ['em > +1E1', { kind: 'number', field: 'em', operator: '>', value: 10 }],
    ['COVER_EM = 1', { kind: 'number', field: 'cover-em', operator: '=', value: 1 }],
    ['answer != b', { kind: 'equals', field: 'answer', equal: false, value: 'b' }],
    ['answer = "and"', { kind: 'equals', field: 'answer', equal: true, value: 'and' }],
    ['think IS Missing', { kind: 'is', field: 'think', what: 'missing' }],
    ['answer CONTAINS x', { kind: 'contains', field: 'answer', value: 'x' }],
    ['NOT em = 1', { kind: 'not', part: { kind: 'number', field: 'em', operator: '=', value: 1 } }],
  ])('%s', (text, expected) => expect(parseFilter(text)).toEqual(expected));

  test.each([
    ['em = 1e999', 'a number'],
    ['em = 1x', 'a number'],
    ['em = x1', 'a number'],
    ['em = "1"', 'a number'],
    ['answer = and', 'a word or a "text"'],
    ['answer = or', 'a word or a "text"'],
    ['answer = (', 'a word or a "text"'],
    ['think is "missing"', '“missing” or “present”'],
    ['think is x', '“missing” or “present”'],
    ['think matches x', 'a /pattern/'],
    ['em "=" 1', 'one of = != < <= > >= is after “em”'],
    ['em contains x', 'one of = != < <= > >= is after “em”'],
    ['"em" = 1', '“and”, “or” or the end'],
    ['(em = 1 em', '“and”, “or” or “)”'],
    ['em = 1)', '“and”, “or” or the end'],
    ['reward. = 1', 'a field, "text", /pattern/, “not” or “(”'],
    ['= 1', 'a field, "text", /pattern/, “not” or “(”'],
  ])('%s is refused: %s', (text, expected) =>
    expect(faultOf(() => parseFilter(text)).expected).toBe(expected),
  );

  test('a fault says what is there', () => {
    expect(faultOf(() => parseFilter('em ~= 1')).message).toBe(
      'at character 4: expected one of = != < <= > >= is after “em”, found “~”',
    );
    expect(faultOf(() => parseFilter('em')).message).toMatch(/found the end$/);
    const bad = faultOf(() => parseFilter('answer matches /(/i'));
    expect([bad.position, bad.length]).toEqual([15, 4]);
  });
});

test.each([
  ['word', 'word'],
  ['1.5', '1.5'],
  ['-x', '-x'],
  ['é', 'é'],
  ['two words', '"two words"'],
  ['And', '"And"'],
  ['android', 'android'],
  ['x and', '"x and"'],
  ['', '""'],
  ['a"b', '"a\\"b"'],
  ['a\nb\tc\\', '"a\\nb\\tc\\\\"'],
  ['/x', '"/x"'],
  ['x=1', '"x=1"'],
])('the value %j is written %s', (value, printed) => {
  expect(printValue(value)).toBe(printed);
  expect(parseFilter(`answer = ${printed}`)).toMatchObject({ value });
});

test.each([
  'em = 1 and (f1 < 0.5 or not "a b")',
  '(em = 1 or em = 0) and judge is present',
  'not (em = 1 and f1 = 1)',
  '/a+/i or think matches /b/ or answer contains "x"',
])('%s is printed as it was written', (text) => expect(printFilter(parseFilter(text))).toBe(text));

describe('fields', () => {
  test('by name, in either case, with _ for -', () => {
    expect(fieldOf('Cover_EM')?.name).toBe('cover-em');
    expect(fieldOf('REWARD.Format')).toMatchObject({ name: 'reward.Format', kind: 'number' });
    expect(fieldOf('reward')?.name).toBe('reward');
    expect(fieldOf('my.reward.x')).toBeNull();
    expect(fieldOf('reward.')).toBeNull();
  });

  test('every operator of a kind has its note in the completions', () => {
    for (const { name, kind } of FIELDS) {
      const { items } = completionsAt(`${name} `, name.length + 1);
      expect(items.map(({ text }) => text)).toEqual(OPERATORS[kind]);
      expect(items.every((item) => item.kind === 'operator' && item.note !== '')).toBe(true);
    }
  });

  test('what is 0 or 1 is offered so, and no other number', () => {
    const values = (name: string) =>
      completionsAt(`${name} = `, name.length + 3).items.map(({ text }) => text);
    for (const name of ['em', 'cover-em', 'sub-em', 'judge', 'answered', 'retrieved'])
      expect(values(name)).toEqual(['0', '1']);
    for (const name of ['em', 'cover-em', 'sub-em'])
      expect(values(`${name}.r1-searcher`)).toEqual(['0', '1']);
    for (const name of ['f1', 'f1.r1-searcher', 'recall', 'reward', 'step'])
      expect(values(name)).toEqual([]);
    expect(values('outcome')).toContain('right-with-evidence');
    expect(values('protocol')).toContain('search-r1');
    expect(values('layout')).toContain('verl');
  });
});
