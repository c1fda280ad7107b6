import { describe, expect, it } from 'vitest';
import { checkTokenizer } from '../../../src/formats/tokenizer/check.ts';

const check = (part: object) => () => checkTokenizer({ model: { vocab: { a: 0 } }, ...part });
const replace = (pattern: object, content?: string | null) => ({
  type: 'Replace',
  pattern,
  content,
});
const tokens = (count: number): object[] =>
  Array.from({ length: count }, () => ({ id: 1, content: 'a' }));
const x = (count: number): string => 'x'.repeat(count);
const sequence = (...normalizers: object[]) => ({
  normalizer: { type: 'Sequence', normalizers },
});

describe('what a tokenizer holds is bounded', () => {
  it.each<[string, object, object, RegExp]>([
    ['a word', { model: { vocab: {}, max_input_chars_per_word: 500 } }, { model: { vocab: {}, max_input_chars_per_word: 501 } }, /^model\.max_input_chars_per_word: /],
    ['a word of nothing', { model: { vocab: {}, max_input_chars_per_word: 1 } }, { model: { vocab: {}, max_input_chars_per_word: 0 } }, /^model\.max_input/],
    ['an id', { model: { vocab: { a: 2_000_000 } } }, { model: { vocab: { a: 2_000_001 } } }, /^model\.vocab/],
    ['an id below nothing', { model: { vocab: { a: 0 } } }, { model: { vocab: { a: -1 } } }, /^model\.vocab/],
    ['a list of pieces with their scores', { model: { vocab: [['a', -1.5]] } }, { model: { vocab: [['a']] } }, /^model\.vocab/],
    ['the text of an added token', { added_tokens: [{ id: 1, content: x(1000) }] }, { added_tokens: [{ id: 1, content: x(1001) }] }, /^added_tokens\.0\.content: /],
    ['the id of an added token', { added_tokens: [{ id: 2_000_000, content: 'a' }] }, { added_tokens: [{ id: 2_000_001, content: 'a' }] }, /^added_tokens\.0\.id: /],
    ['added tokens', { added_tokens: tokens(50_000) }, { added_tokens: tokens(50_001) }, /^added_tokens: /],
    ['a vocabulary', { added_tokens: null }, { model: {} }, /^model\.vocab/],
  ])('%s', (_, taken, refused, message) => {
    expect(check(taken)).not.toThrow();
    expect(check(refused)).toThrow(message);
  }); // prettier-ignore
});

describe('the settings of a step', () => {
  it.each<[string, object, object, RegExp]>([
    ['intervals', { pre_tokenizer: { type: 'FixedLength', length: 1 } }, { pre_tokenizer: { type: 'FixedLength', length: 0 } }, /^pre_tokenizer\.length: /],
    ['what is put in front', { normalizer: { type: 'Prepend', prepend: x(64) } }, { normalizer: { type: 'Prepend', prepend: x(65) } }, /^normalizer\.prepend: /],
    ['what is put in place', { normalizer: replace({ String: 'a' }, x(64)) }, { normalizer: replace({ String: 'ab' }, x(65)) }, /^normalizer\.content: /],
    ['what is replaced', { normalizer: replace({ String: 'a' }, 'b') }, { normalizer: { type: 'Replace', content: 'b' } }, /^normalizer\.pattern: /],
    ['where is split', { pre_tokenizer: { type: 'Split', pattern: { String: 'a' } } }, { pre_tokenizer: { type: 'Split' } }, /^pre_tokenizer\.pattern: /],
    ['by which pattern', { pre_tokenizer: { type: 'Split', pattern: { Regex: 'a+' } } }, { pre_tokenizer: { type: 'Split', pattern: { Regex: '(a+)+b' } } }, /^pre_tokenizer\.pattern\.Regex: this pattern repeats what can be read in several ways, which can take for ever$/],
    ['the mark of a space', { decoder: { type: 'Metaspace', replacement: x(64) } }, { decoder: { type: 'Metaspace', replacement: x(65) } }, /^decoder\.replacement: /],
    ['and its older name', { decoder: { type: 'Metaspace', str_rep: x(64) } }, { decoder: { type: 'Metaspace', str_rep: x(65) } }, /^decoder\.str_rep: /],
    ['what is stripped first', { decoder: { type: 'Strip', content: 'a', start: 0, stop: 1000 } }, { decoder: { type: 'Strip', content: 'a', start: -1, stop: 0 } }, /^decoder\.start: /],
    ['what is stripped last', { decoder: { type: 'Strip', content: 'a', start: 1000, stop: 0 } }, { decoder: { type: 'Sequence', decoders: [{ type: 'Strip', content: 'a', start: 0, stop: 1001 }] } }, /^decoder\.decoders\.0\.stop: /],
    ['a step has a name', { normalizer: { type: 'toString' } }, { normalizer: { kind: 'NFC' } }, /^normalizer\.type: expected the name of a step$/],
    ['inside a sequence too', { pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'ByteLevel' }] } }, { pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'ByteLevel' }, {}] } }, /^pre_tokenizer\.pretokenizers\.1\.type: /],
  ])('%s', (_, taken, refused, message) => {
    expect(check(taken)).not.toThrow();
    expect(check(refused)).toThrow(message);
  }); // prettier-ignore

  it('of normalizers that strip are of another kind, and lists are no steps', () => {
    expect(check({ normalizer: { type: 'Strip', strip_left: true } })).not.toThrow();
    expect(
      check({ normalizer: [{ kind: 'x' }], decoder: 'none', pre_tokenizer: null }),
    ).not.toThrow();
    expect(check({ normalizer: { type: 'Sequence', normalizers: [null, 5] } })).not.toThrow();
  });
});

describe('a text becomes 64 times as long at most', () => {
  const TOO_LONG = /: texts could become more than 64 times longer$/;
  const eight = replace({ String: 'a' }, x(8));
  const REGEX = { Regex: 'a' };
  it.each<[string, object[], object[]]>([
    ['by one step after another', [eight, eight], [eight, eight, replace({ String: 'ab' }, 'xyz')]],
    ['by what is longer than what it replaces', [replace({ String: 'ab' }, x(16)), eight], [replace({ String: 'ab' }, x(17)), eight]],
    ['and shorter ones do not make up for it', [replace({ String: 'abcd' }, 'a'), eight, eight], [replace({ String: 'abcd' }, 'a'), eight, eight, replace({ String: 'a' }, 'xy')]],
    ['where one character, or none, may be replaced', [replace(REGEX, x(63))], [replace(REGEX, x(64))]],
    ['where each is replaced by one', [eight, eight, replace(REGEX, 'x')], [eight, eight, replace(REGEX, 'xy')]],
    ['or by none', [eight, eight, replace(REGEX, ''), replace(REGEX, null), replace({ String: 'b' })], [eight, eight, eight]],
    ['where nothing is replaced', [replace({ String: '' }, x(63))], [replace({ String: '' }, x(64))]],
    ['by marks of spaces', [{ type: 'Metaspace', replacement: x(8), str_rep: 'y' }, eight], [{ type: 'Metaspace', replacement: 'y', str_rep: x(9) }, eight]],
    ['whose mark is one of one character', [{ type: 'Metaspace', replacement: '_' }, { type: 'Metaspace' }, eight, eight], [{ type: 'Metaspace', replacement: '__' }, eight, eight]],
    ['whatever is put in front of it once', [{ type: 'Prepend', prepend: x(64), content: x(9) }, eight, eight], [replace(REGEX, x(8)), eight]],
  ])('%s', (_, taken, refused) => {
    expect(check(sequence(...taken))).not.toThrow();
    expect(check(sequence(...refused))).toThrow(TOO_LONG);
  }); // prettier-ignore

  it('by each of the three parts', () => {
    const metaspace = { type: 'Metaspace', replacement: x(64) };
    expect(
      check({ normalizer: metaspace, pre_tokenizer: metaspace, decoder: metaspace }),
    ).not.toThrow();
    for (const [part, list] of [
      ['normalizer', 'normalizers'],
      ['pre_tokenizer', 'pretokenizers'],
      ['decoder', 'decoders'],
    ] as const)
      expect(check({ [part]: { type: 'Sequence', [list]: [metaspace, metaspace] } })).toThrow(
        new RegExp(`^${part}\\.${list}\\.1: texts could become`),
      );
  });
});

it('it has a hundred steps in each part at most, the sequence counted', () => {
  const steps = (count: number) =>
    sequence(...Array.from({ length: count }, () => ({ type: 'NFC' })));
  expect(check(steps(99))).not.toThrow();
  expect(check(steps(100))).toThrow('normalizer: it has more than 100 steps');
});

it('its sequences are twenty deep at most', () => {
  const nested = (depth: number): object =>
    depth === 0 ? { type: 'NFC' } : { type: 'Sequence', normalizers: [nested(depth - 1)] };
  expect(check({ normalizer: nested(20) })).not.toThrow();
  expect(check({ normalizer: nested(21) })).toThrow(
    /^normalizer(?:\.normalizers\.0){21}: it is nested too deep$/,
  );
});
