import { describe, expect, test } from 'vitest';
import { completionsAt } from '../../../../src/evaluate/rollouts/filter/complete.ts';
import { LINTS } from '../../../../src/evaluate/rollouts/lint/finding.ts';
import { FIELDS } from '../../../../src/evaluate/rollouts/filter/fields.ts';

const known = (field: string): readonly string[] =>
  ({ tags: ['look again', 'odd', 'odd'], 'reward.': ['format', 'gain'], outcome: ['mine'] })[
    field
  ] ?? [];

/** The cursor is at `|`. */
function at(marked: string) {
  const position = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, to, items } = completionsAt(text, position, known);
  return { replaced: [from, to], texts: items.map((item) => item.text), items };
}

describe('what may be at the cursor', () => {
  test('at the beginning: fields, reward clauses, not, a bracket', () => {
    const { texts, items } = at('|');
    expect(texts).toEqual([
      ...FIELDS.map(({ name }) => name),
      'reward.format',
      'reward.gain',
      'not',
      '(',
    ]);
    expect(items.find(({ text }) => text === 'reward.gain')).toEqual({
      text: 'reward.gain',
      kind: 'field',
      note: 'clause gain of the reward',
    });
    expect(items.at(-2)?.kind).toBe('word');
  });

  test.each([
    ['em = 1 and |', 'condition'],
    ['em = 1 or |', 'condition'],
    ['not |', 'condition'],
    ['(|', 'condition'],
    ['em = 1 and (|', 'condition'],
  ])('%s: a condition', (marked) => expect(at(marked).texts).toContain('recall'));

  test.each([
    ['em = 1 |', ['and', 'or']],
    ['(em = 1 |', ['and', 'or', ')']],
    ['((em = 1) |', ['and', 'or', ')']],
    ['(em = 1) |', ['and', 'or']],
    ['"x" |', ['and', 'or']],
    ['think is |', ['missing', 'present']],
    ['think is p|', ['present']],
    ['think matches |', ['/…/i']],
    ['think contains |', []],
    ['tags has |', ['"look again"', 'odd']],
    ['tags has "look|', ['"look again"']],
    ['tags has again|', ['"look again"']],
    ['reward.g|', ['reward.gain']],
    ['em <|', ['<', '<=']],
    ['answer m|', ['matches']],
    ['em = 1 an|', ['and']],
    ['em colour |', []],
    ['em = x and |', []],
    ['em = 1 ) |', []],
    ['em ! |', []],
  ])('%s', (marked, expected) => expect(at(marked).texts).toEqual(expected));

  test('first those that begin as what is written, then those that hold it', () => {
    const { texts } = at('em|');
    expect(texts.slice(0, 2)).toEqual(['em', 'em.r1-searcher']);
    expect(texts).toContain('cover-em');
    expect(texts.every((text) => text.includes('em'))).toBe(true);
    expect(at('EM|').texts).toEqual(texts);
  });

  test('values that are known beforehand, then those that occur, each once', () => {
    const { texts } = at('outcome = |');
    expect(texts.at(-1)).toBe('mine');
    expect(texts).toContain('no-answer');
  });
});

describe('what is replaced', () => {
  test.each([
    ['rec|', [0, 3]],
    ['re|call = 1', [0, 6]],
    ['re|(', [0, 2]],
    ['re|="x"', [0, 2]],
    ['em = 1 and r|ec', [11, 14]],
    ['em |', [3, 3]],
    ['em | = 1', [3, 3]],
    ['tags has "lo|', [9, 12]],
    ['|em', [0, 0]],
  ])('%s', (marked, replaced) => expect(at(marked).replaced).toEqual(replaced));

  test('a place outside of the text is its nearest end', () => {
    expect(completionsAt('em', 99)).toMatchObject({ from: 0, to: 2 });
    expect(completionsAt('em', -5)).toMatchObject({ from: 0, to: 0 });
    expect(completionsAt('em', NaN)).toMatchObject({ from: 0, to: 0 });
    expect(completionsAt('em', 1.9)).toMatchObject({ from: 0, to: 2 });
    expect(completionsAt('em ! ', 5)).toEqual({ from: 5, to: 5, items: [] });
  });
});

describe('a value that a filter names by its id', () => {
  test.each([
    ['lint has |', 'under-search'],
    ['outcome = |', 'not-retrieved'],
    ['ended = |', 'not-found'],
    ['em = |', '1'],
  ])('%s is listed with its name on the page', (marked, id) => {
    const item = at(marked).items.find(({ text }) => text === id);
    expect(item?.note).toMatch(/^[^-]*[a-z]/i);
    expect(item?.note).not.toBe(id);
  });

  test('is found by what the page calls it, and the id is what is written', () => {
    const title = LINTS['under-search'].title.toLowerCase();
    const word = title.split(' ')[0] ?? '';
    const { texts, items } = at(`lint has ${word}|`);
    expect(texts).toContain('under-search');
    expect(items.find(({ text }) => text === 'under-search')?.note.toLowerCase()).toBe(title);
    // Fields are found by their names alone: each note holds most letters.
    expect(at('asked|').texts).not.toContain('em');
  });
});
