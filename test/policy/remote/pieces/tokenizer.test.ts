import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { markedMessage, PieceTokenizer } from '../../../../src/policy/remote/tokenizer.ts';

const any = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2 }),
    fc.constantFrom(' ', '\n', '<|user|>', '雪', 'word', '12345', 'é'),
  ),
});

it('gives every text back, with one id a piece', () => {
  const tokenizer = new PieceTokenizer();
  fc.assert(
    fc.property(any, (text) => {
      const ids = tokenizer.encodeText(text);
      expect(tokenizer.decode(ids)).toBe(text);
      expect(tokenizer.encodeText(text)).toEqual(ids);
    }),
  );
});

it('cuts about as finely as tokens are cut', () => {
  const tokenizer = new PieceTokenizer();
  const cut = (text: string): string[] =>
    tokenizer.encodeText(text).map((id) => tokenizer.decode([id]));
  const sentence = 'The internationalist, in 2018:\n\n <search>';
  expect(cut(sentence).join('|')).toBe('The| intern|ationa|list|,| in| 201|8|:|\n\n |<|search|>');
  expect(cut('東京 タワー')).toHaveLength(5);
});

it('knows roles in templates and in no other text', () => {
  const tokenizer = new PieceTokenizer();
  const text = markedMessage({ role: 'user', content: 'hi' });
  const roles = (ids: number[]): unknown[] => ids.map((id) => tokenizer.roleOf(id));
  expect(roles(tokenizer.encodeTemplate(text))).toEqual(['user', undefined]);
  expect(roles(tokenizer.encodeText(text)).every((role) => role === undefined)).toBe(true);
  expect(tokenizer.roleOf(tokenizer.intern('<|user|>'))).toBeUndefined();
  expect(tokenizer.decode(tokenizer.encodeTemplate(text))).toBe(text);
});

it('grows, and knows what it does not know', () => {
  const tokenizer = new PieceTokenizer();
  const before = tokenizer.vocabSize;
  tokenizer.encodeText('a b a b');
  expect(tokenizer.vocabSize).toBe(before + 3);
  expect(() => tokenizer.decode([999])).toThrow('no piece 999');
});
