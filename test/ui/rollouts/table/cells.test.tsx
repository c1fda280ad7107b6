import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CellValue, fullText } from '../../../../src/ui/rollouts/table/Cell.tsx';
import { allColumns, columnOf, usualColumns } from '../../../../src/ui/rollouts/table/columns.ts';
import { HeadCell, keepWidths, setWidth } from '../../../../src/ui/rollouts/table/HeadCell.tsx';
import { pastFilters, rememberFilter } from '../../../../src/ui/rollouts/file/filter-history.ts';
import { UnknownNote, UnreadLines } from '../../../../src/ui/rollouts/file/FilePage.tsx';
import {
  groupedOutcomeName,
  outcomeBars,
  outcomeName,
  PARTIAL,
} from '../../../../src/ui/rollouts/words.ts';
import type { RolloutRow } from '../../../../src/evaluate/rollouts/row.ts';
import { htmlOf, rowsIn, textOf, valuesOf, wordsIn } from '../../kit/render.tsx';
import { fileRecord, foundRow } from '../views.ts';
import { useRollouts } from '../../../../src/ui/rollouts/store/rollouts-store.ts';

const numbers = foundRow(0).row.numbers;
const cell = (column: string, row: Partial<RolloutRow> = {}): string =>
  htmlOf(<CellValue column={columnOf(column)} found={foundRow(2, row)} />);

/** What a browser keeps. */
const storage = (kept: Record<string, string> = {}) => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
  });
  return kept;
};

beforeEach(() => void storage());

describe('a cell of the table', () => {
  it.each<[string, Partial<RolloutRow>, string]>([
    ['line', {}, '3'],
    ['question', { question: '<b>Who?</b>' }, '<b>Who?</b>'],
    ['answer', { answer: null }, '–'],
    ['answer', { answer: '' }, '–'],
    ['answer', { notScored: 'no tag' }, 'not scored: no tag'],
    ['em', { numbers: { ...numbers, em: 1 } }, '✓'],
    ['em', { numbers: { ...numbers, em: 0 } }, '✗'],
    ['em', { numbers: { ...numbers, em: null } }, '–'],
    ['f1', { numbers: { ...numbers, f1: 0.12345 } }, '0.123'],
    ['reward', { numbers: { ...numbers, reward: -0.5 } }, '−0.5'],
    ['reward.format', { clauses: { format: 0.25 } }, '0.25'],
    ['reward.format', { clauses: {} }, '–'],
    ['outcome', { outcome: null }, '–'],
    ['outcome', { outcome: 'no-answer' }, outcomeName('no-answer')],
  ])('%s of %o reads %s', (column, row, words) => {
    expect(wordsIn(cell(column, row))).toContain(words);
    expect(cell(column, row)).not.toContain('<b>');
  });

  it('says a sign in a word', () => {
    expect(valuesOf(cell('em', { numbers: { ...numbers, em: 1 } }), 'aria-label')).toEqual(['yes']);
    expect(valuesOf(cell('em', { numbers: { ...numbers, em: 0 } }), 'aria-label')).toEqual(['no']);
  });

  it('has its full text as a tooltip if it may be cut', () => {
    const long = 'a rather long question?';
    expect(fullText(columnOf('question'), foundRow(0, { question: long }))).toBe(long);
    expect(fullText(columnOf('question'), foundRow(0, { question: 'short' }))).toBeUndefined();
    expect(fullText(columnOf('em'), foundRow(0))).toBeUndefined();
    expect(fullText(columnOf('answer'), foundRow(0, { notScored: 'no tag' }))).toBe(
      'not scored: no tag',
    );
  });
});

describe('the columns', () => {
  it('are texts, numbers or yes and no, each with what it means', () => {
    expect(columnOf('question').kind).toBe('text');
    expect(columnOf('em')).toMatchObject({ kind: 'bit', title: 'EM' });
    expect(columnOf('f1').kind).toBe('number');
    expect(columnOf('reward.format')).toMatchObject({
      kind: 'number',
      note: 'clause format of the reward',
    });
    for (const name of allColumns(['format'])) expect(columnOf(name).note).toMatch(/\S/);
    // A name that every object has is a clause like any other.
    expect(columnOf('constructor')).toMatchObject({ kind: 'number', title: 'constructor' });
    expect(new Set(allColumns(['a', 'b'])).size).toBe(allColumns(['a', 'b']).length);
  });

  it('that suit a file leave out what it has nothing of', () => {
    expect(usualColumns(null)).toEqual([
      'question',
      'answer',
      'searches',
      'passages',
      'words',
      'lint',
      'tags',
    ]);
    const statistics = { steps: 2, scored: 3, judge: {}, reward: { n: 1 } } as Parameters<
      typeof usualColumns
    >[0];
    expect(usualColumns(statistics)).toEqual(
      expect.arrayContaining([
        'question',
        'step',
        'em',
        'f1',
        'judge',
        'reward',
        'advantage',
        'outcome',
      ]),
    );
    // Why it is wrong is the second line of the question.
    expect(usualColumns(statistics)).not.toContain('why');
    const none = { empty: ['judge', 'tags', 'advantage'], runs: 2 };
    const shown = usualColumns(statistics, none);
    for (const name of none.empty) expect(shown).not.toContain(name);
    expect(shown.slice(0, 3)).toEqual(['question', 'run', 'answer']);
  });

  it('say how they are sorted, and can be made wider by hand and by key', () => {
    const head = (sort: Parameters<typeof HeadCell>[0]['sort']) =>
      htmlOf(
        <table>
          <thead>
            <tr>
              <HeadCell column={columnOf('f1')} width={90} sort={sort} setSort={() => undefined} />
            </tr>
          </thead>
        </table>,
      );
    expect(valuesOf(head({ column: 'f1', descending: true }), 'aria-sort')).toEqual(['descending']);
    expect(valuesOf(head({ column: 'f1', descending: false }), 'aria-sort')).toEqual(['ascending']);
    expect(valuesOf(head({ column: 'em', descending: true }), 'aria-sort')).toEqual(['none']);
    expect(valuesOf(head(null), 'aria-valuenow')).toEqual(['90']);
  });
});

describe('what the browser remembers', () => {
  it('are widths within reason', () => {
    const kept = storage();
    setWidth('em', 1);
    setWidth('f1', 99_999);
    setWidth('id', 120.4);
    expect(useRollouts.getState().widths).toMatchObject({ em: 44, f1: 1200, id: 120 });
    keepWidths();
    expect(Object.values(kept).map((text) => JSON.parse(text) as unknown)).toEqual([
      { em: 44, f1: 1200, id: 120 },
    ]);
    vi.stubGlobal('localStorage', undefined);
    expect(keepWidths).not.toThrow();
  });

  it('are filters, the latest first, each once, thirty at most', () => {
    for (let i = 0; i < 40; i++) rememberFilter(`em = ${i}`);
    rememberFilter('  em = 20 ');
    rememberFilter('  ');
    expect(pastFilters().slice(0, 2)).toEqual(['em = 20', 'em = 39']);
    expect(pastFilters()).toHaveLength(30);
    expect(pastFilters().filter((one) => one === 'em = 20')).toHaveLength(1);
  });

  it.each(['{', '{"a":1}', '[1,null]', 'null'])('is nothing where it is not ours: %s', (text) => {
    vi.stubGlobal('localStorage', { getItem: () => text });
    expect(pastFilters()).toEqual([]);
  });

  it('is nothing where the browser keeps nothing', () => {
    vi.stubGlobal('localStorage', undefined);
    rememberFilter('em = 0');
    expect(pastFilters()).toEqual([]);
  });
});

describe('what a file says of itself', () => {
  it('are the lines that could not be read, with why', () => {
    const faults = [
      { line: 7, reason: 'no JSON' },
      { file: 'b.jsonl', line: 0, reason: 'not gzip' },
    ];
    const html = htmlOf(
      <UnreadLines file={fileRecord('f', { rollouts: 1200, faultCount: 3, faults })} />,
    );
    expect(wordsIn(html)).toContain(
      '3 lines could not be read; the other 1,200 are here. The first 2 are listed.',
    );
    expect(rowsIn(html)).toEqual([
      ['line 7', 'no JSON'],
      ['b.jsonl', 'not gzip'],
    ]);
    expect(textOf(<UnreadLines file={fileRecord('f')} />)).toBe('Every line of the file was read.');
  });

  it('is what a filter compares and rollouts lack', () => {
    const note = (rows: number) =>
      textOf(
        <UnknownNote
          unknown={
            [{ field: 'reward', rows, of: 5, why: 'the file states none' }] as Parameters<
              typeof UnknownNote
            >[0]['unknown']
          }
          show={() => undefined}
        />,
      );
    expect(note(3)).toContain(
      'reward is unknown for 3 of 5 rollouts: the file states none. Unknown is not zero',
    );
    expect(note(3)).toContain('show them');
    expect(note(1)).toContain('show it');
    expect(textOf(<UnknownNote unknown={[]} show={() => undefined} />)).toBe('');
  });

  it('is how rollouts ended, by what', () => {
    expect(outcomeName(null, 'em')).toBe('–');
    expect(outcomeBars({ 'no-answer': 3, 'no-search': 1, 'not-scored': 0 })).toMatchObject({
      total: 4,
      bars: [
        { key: 'no-answer', count: 3 },
        { key: 'no-search', count: 1 },
      ],
    });
    expect(groupedOutcomeName('no-answer', 'by EM')).toBe(`${outcomeName('no-answer')}, by EM`);
    expect(groupedOutcomeName('not-scored', 'by EM')).toBe(outcomeName('not-scored'));
    expect(PARTIAL.ready).toBe('');
  });
});
