import { describe, expect, it } from 'vitest';
import { costOfPattern } from '../../../src/formats/tokenizer/pattern.ts';

const SEVERAL_WAYS = 'repeats what can be read in several ways';
const TWICE = 'repeats the same characters twice before a condition';
const WAYS = 'can be read in too many ways';
const BRACKET = 'has a bracket without its other one';

/** `null` where it is run, else why not. */
describe.each<[string, [pattern: string, reason: string | null][]]>([
  [
    'two repetitions and a condition after them',
    [
      ['a*a*', null],
      ['a*a*b?', null],
      ['a*a*b', TWICE],
      ['a*ca*b', TWICE],
      ['a*c*b', null],
      ['a*b*a*c', TWICE],
      ['a*b*a*', null],
      ['a+a+b', TWICE],
      ['a{2,}a{2,}b', TWICE],
      ['a{2}a{2}b', null],
      ['a{2,2}a{2,2}b', null],
      ['a{2,3}a{2,3}b', TWICE],
      ['a?a?b', null],
      ['[a-m]*[m-z]*1', TWICE],
      ['[a-l]*[m-z]*1', null],
      ['\\p{L}*\\p{N}*!', null],
      ['\\p{L}*[\\p{L}\\p{N}]*!', TWICE],
      ['\\w*\\d*!', TWICE],
      ['\\s*[\\r\\n]+a', TWICE],
      ['\\u0061*a*b', TWICE],
      ['\\u0061*c*b', null],
      ['\\x61*a*b', TWICE],
      ['\\x61*\\x62*c', null],
      ['\\u{61}*a*b', TWICE],
      ['(?:ab)*c*d', TWICE],
      ['[^a]*[^b]*c', TWICE],
      ['a*(?:b|c)a*d', TWICE],
      ['(?:a*|b)a*d', TWICE],
      ['(?:a*|b*)c', null],
      ['[a[b]]*x', null],
    ],
  ],
  [
    'a repetition of repetitions',
    [
      ['(?:ab)*', null],
      ['(?:ab)+c', null],
      ['(?:a|b)*', SEVERAL_WAYS],
      ['(?:a|b){4}', SEVERAL_WAYS],
      ['(?:a|b){3}', null],
      ['(?:a|b){0,3}', null],
      ['(?:a|b){0,4}', SEVERAL_WAYS],
      ['(?:a|b)?', null],
      ['(?:a*){2}', null],
      ['(?:a*){2}b', TWICE],
      ['(?:a*){0,1}b', null],
      ['(?:a+b)*', SEVERAL_WAYS],
      ['(?:a?)*', SEVERAL_WAYS],
      ['(?:a?){3}', null],
      ['(?:)*', SEVERAL_WAYS],
      ['(?:ab){2}', null],
      ['(?:a{2})*', null],
      ['(?:a{1,2})*', SEVERAL_WAYS],
      ['(?:\\d{3})+', null],
    ],
  ],
  [
    'alternatives and optional parts',
    [
      // 2 to the power of 9 is 512, of 10 is 1024; 3 to the power of 6 is 729, of 7 is 2187.
      ['(a|b)'.repeat(9), null],
      ['(a|b)'.repeat(10), WAYS],
      ['a?'.repeat(9), null],
      ['a?'.repeat(10), WAYS],
      ['(a|b|c)'.repeat(6), null],
      ['(a|b|c)'.repeat(7), WAYS],
      ['(?:(a|b)|c)'.repeat(6), null],
      ['(?:(a|b)|c)'.repeat(7), WAYS],
      // A part of 2 ways that may be left out has 3 each time: 3 to the power of 3 is 27.
      ['(?:a|b){3}'.repeat(2), null],
      ['(?:a|b){3}'.repeat(3), WAYS],
      ['(?:a|b)?'.repeat(6), null],
      ['(?:a|b)?'.repeat(7), WAYS],
      [`${'(a|b)'.repeat(9)}(?:a{5}b)`, null],
    ],
  ],
  [
    'brackets',
    [
      ['(a', BRACKET],
      ['a)', BRACKET],
      ['[a', BRACKET],
      ['[a\\]', BRACKET],
      ['[[a]', BRACKET],
      ['[a]]', null],
      ['[\\]a]*b', null],
      ['\\(a\\)', null],
      ['(?<name>a)', null],
      ['(?<=a)b', null],
      ['(?<!a)b', null],
      ['(?!a)b', null],
      ['(?i:a)', null],
      ['(?i-m:a)', null],
      ['(?>a)', null],
    ],
  ],
  [
    'an assertion between characters cannot be repeated',
    [
      ['a*(?=b)', null],
      ['a*a*(?=b)', TWICE],
      ['a*a*(?!b)', TWICE],
      ['a*a*$', TWICE],
      ['a*a*\\b', TWICE],
      ['a*a*\\z', TWICE],
      ['^a*a*', null],
      ['(?:(?=a)b)*', SEVERAL_WAYS],
      ['a*(?=a*b)', null],
      ['a*(?=a*b)c', TWICE],
    ],
  ],
  [
    'what refers to what was read',
    [
      ['(a)\\1', 'refers back to what was read'],
      ['(?<n>a)\\k<n>', 'refers back to what was read'],
      ['\\0', null],
      ['a\\', 'ends too soon'],
      ['\\', 'ends too soon'],
    ],
  ],
  [
    'repetitions may be lazy or possessive',
    [
      ['a*?b', null],
      ['a++b', null],
      ['a{2,}?b', null],
      ['a{,3}b', null],
      ['a??b', null],
      ['[\\q]*a*b', 'has characters that are not understood'],
    ],
  ],
])('%s', (_, patterns) => {
  it.each(patterns)('%s: %j', (pattern, reason) => expect(costOfPattern(pattern)).toBe(reason));
});

it('a pattern has 4000 characters at most', () => {
  expect(costOfPattern('a'.repeat(4000))).toBeNull();
  expect(costOfPattern('a'.repeat(4001))).toBe('has 4001 characters');
});

it('characters of all scripts are distinguished where two repetitions meet', () => {
  // Both match a letter of Greek's neighbours, a mark, a digit of another script, a wide letter.
  for (const [a, b] of [
    ['\\p{Script=Hiragana}', '\\p{L}'],
    ['\\p{Script=Hebrew}', '\\p{Lo}'],
    ['\\p{Lt}', '\\p{L}'],
    ['\\p{M}', '\\p{Mn}'],
    ['\\p{Emoji_Modifier}', '\\p{Sk}'],
    ['\\u3000', '\\s'],
    ['\\ufeff', '\\s'],
    ['\\u00a0', '\\s'],
    ['\\u2028', '\\s'],
    ['\\u0000', '[^a]'],
    ['\\u017f', '\\p{Ll}'],
  ])
    expect(costOfPattern(`${a}*${b}*!`), `${a} ${b}`).toBe(TWICE);
});
