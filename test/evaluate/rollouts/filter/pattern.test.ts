import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../fuzz/subjects/cost.ts';
import { FilterError } from '../../../../src/evaluate/rollouts/filter/error.ts';
import { compilePattern } from '../../../../src/evaluate/rollouts/filter/pattern.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  ' ',
  '.',
  '[ab]',
  '[^a\\n]',
  '\\w',
  '\\s',
  '\\n',
  '\\p{L}',
  'é',
  '\\u{1F600}',
  '\\.',
  '^',
  '$',
  '\\b',
  '\\B',
);
const assertions = ['^', '$', '\\b', '\\B'];
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '+?'))
      .map(([one, count]) => (assertions.includes(one) ? one : one + count)),
    fc
      .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}'))
      .map(([inner, count]) => `(${inner})${count}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
  ),
  pattern: fc.array(tie('piece'), { maxLength: 3 }).map((list) => list.join('')),
}));
const text = fc
  .array(fc.constantFrom('a', 'b', 'A', ' ', '\n', '.', 'é', '😀', '_', '1'), { maxLength: 12 })
  .map((list) => list.join(''));

describe('regular expressions', () => {
  test('agree with the platform’s on small patterns', () => {
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 'i', 'm', 's', 'ims'), text, (source, flags, on) => {
        fc.pre(source.length < 200);
        // V8 finds \B inside a surrogate pair, also with the u flag.
        fc.pre(!source.includes('\\B') || !on.includes('😀'));
        expect(compilePattern(source, flags)(on)).toBe(new RegExp(source, `${flags}u`).test(on));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '(a+)+$',
    '^(a|a)*$',
    '(a|aa)+$',
    '(.*)*x',
    '.*.*.*.*=',
    '(a?){30}a{30}$',
    '^(\\w+\\s?)*$',
  ])('%s takes time in proportion to the text', async (source) => {
    const matches = compilePattern(source, '');
    // A backtracking matcher would need longer than the universe has.
    const hostile = (length: number): string => `${'a'.repeat(length)}!`;
    expect(matches(hostile(100_000))).toBe(false);
    await expectLinear((length) => matches(hostile(length)), 100_000, source);
  });

  test.each(['a{5000}', '((a{100}){100})', 'a(?!b)', '(?<=a)b', '(?<n>a)\\k<n>', '[', '(?i:a)'])(
    '%s is refused',
    (source) => {
      expect(() => compilePattern(source, '')).toThrow(FilterError);
    },
  );
});
