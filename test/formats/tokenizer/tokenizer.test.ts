import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkTokenizer } from '../../../src/formats/tokenizer/check.ts';
import { costOfPattern } from '../../../src/formats/tokenizer/pattern.ts';

describe('a splitting pattern', () => {
  it.each([
    [
      'GPT-2',
      String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
    ],
    [
      'Llama 3 and SmolLM3',
      String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    [
      'GPT-4o',
      String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    ],
    ['Bloom', String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`],
    ['digits in threes', String.raw`(?<=\d)(?=(?:\d{3})+(?!\d))`],
    ['XLM-R', ' {2,}'],
  ])('of %s is run', (_, pattern) => {
    expect(costOfPattern(pattern)).toBeNull();
  });

  it('is run at a depth of 49 brackets, and not beyond what a stack holds', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
    expect(costOfPattern(nested(49))).toBeNull();
    expect(costOfPattern(nested(50))).toContain('is nested too deep');
  });

  it.each([
    '(a+)+b', '(a|a)+b', '(?:a|ab|b)*c', '(a*)*', 'a*a*b', '([a-z]+\\s?)+$', '(?=(a+)+b)', '(a?){50}b', '(?:aa)*(?:a)*b',
    '(?:a{1,30}){1,30}b', '\\p{L}*\\p{Lo}+\\d', `${'(a|b)'.repeat(30)}c`, `${'(ab)?'.repeat(30)}c`, '(a)\\1', '('.repeat(99),
  ])('that may go back without end is not: %s', (pattern) => {
    expect(costOfPattern(pattern)).not.toBeNull();
  }); // prettier-ignore
});

const whole = JSON.parse(
  readFileSync(new URL('../../fixtures/chat/qwen/tokenizer.json', import.meta.url), 'utf8'),
) as { normalizer: unknown; pre_tokenizer: unknown; decoder: unknown; model: object };
const doubling = { type: 'Replace', pattern: { String: 'a' }, content: 'aa' };

describe('a tokenizer', () => {
  it('as it is published is taken', () => {
    expect(() => checkTokenizer(whole)).not.toThrow();
  });

  it.each([
    [
      'intervals of nothing',
      { pre_tokenizer: { type: 'FixedLength', length: 0 } },
      /^pre_tokenizer\.length: /,
    ],
    [
      'a text that doubles at every step',
      { normalizer: { type: 'Sequence', normalizers: Array.from({ length: 40 }, () => doubling) } },
      /64 times longer/,
    ],
    [
      'a pattern that goes back without end',
      { pre_tokenizer: { type: 'Split', pattern: { Regex: '(x+x+)+y' }, behavior: 'Isolated' } },
      /^pre_tokenizer\.pattern\.Regex: this pattern repeats .* for ever/,
    ],
    [
      'words that are compared with all their parts',
      { model: { type: 'WordPiece', vocab: {}, max_input_chars_per_word: 1e6 } },
      /max_input_chars_per_word/,
    ],
    [
      'an id for which a list of a billion entries would be made',
      { model: { vocab: { a: 1e9 } } },
      /^model\.vocab/,
    ],
  ])('with %s is refused', (_, part, message) => {
    expect(() => checkTokenizer({ ...whole, ...part })).toThrow(message);
  });
});
