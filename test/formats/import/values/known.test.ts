import { expect, it } from 'vitest';
import { freeId, KnownItems } from '../../../../src/formats/import/values/known.ts';

it('what is known says whose an id is, and which id a content has', () => {
  const { questions } = new KnownItems();
  questions.add('q1', 'hash', 'a');
  expect(questions.idOf('hash')).toBe('q1');
  expect(questions.idOf('other')).toBeUndefined();
  expect(questions.taken('q1', 'a')).toBe('here');
  expect(questions.taken('q1', 'b')).toBe('elsewhere');
  expect(questions.taken('q2', 'a')).toBeNull();
  expect(questions.size).toBe(1);
});

it('an id of another file’s item gets the beginning of the content’s hash', () => {
  const { passages } = new KnownItems();
  passages.add('p1', 'hash', 'a');
  expect(freeId(passages, 'b', 'p1', '0123456789')).toBe('p1~01234567');
  expect(freeId(passages, 'a', 'p1', '0123456789')).toBe('p1');
  expect(freeId(passages, 'b', 'p2', '0123456789')).toBe('p2');
});

it('its memory grows by 160 bytes an item and the length of id and hash, not of texts', () => {
  const known = new KnownItems();
  expect(known.bytes).toBe(0);
  known.passages.add('abc', '0123456789', '');
  expect(known.bytes).toBe(173);
  known.questions.add('d', '01', '');
  known.questions.add('e', '02', '');
  expect(known.bytes).toBe(173 + 2 * 163);
});
