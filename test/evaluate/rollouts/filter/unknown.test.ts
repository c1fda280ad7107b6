import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../../../src/evaluate/rollouts/filter/match.ts';
import { parseFilter } from '../../../../src/evaluate/rollouts/filter/parse.ts';
import { unknownsOf, type Unknown } from '../../../../src/evaluate/rollouts/filter/unknown.ts';
import { rowOf, type RolloutRow } from '../../../../src/evaluate/rollouts/row.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne, ownLines } from '../../../formats/rollouts/helpers.ts';

const rowsOf = async (...records: unknown[]): Promise<RolloutRow[]> =>
  (await Promise.all(records.map(importOne))).map((rollout) => rowOf(rollout));

const unknown = (filter: string, rows: readonly RolloutRow[]): Unknown[] =>
  unknownsOf(parseFilter(filter), rows);

describe('what a filter asks for and the records do not say', () => {
  test('the README’s own example on a file without recall', async () => {
    const rows = await rowsOf(r1Searcher, verl);
    const passes = compileFilter(parseFilter('em = 0 and recall = 1'));
    expect(rows.filter((row) => passes.row(row))).toEqual([]);
    expect(unknown('em = 0 and recall = 1', rows)).toEqual([
      {
        field: 'recall',
        rows: 2,
        of: 2,
        why: 'the record does not name the supporting titles of its question',
      },
    ]);
  });

  test('only the rows that lack the field are counted, each field once', async () => {
    const rows = await rowsOf(r1Searcher, verl, { ...verl, score: null });
    const found = unknown('(reward > 0 or not reward < 0) and judge = 1 and em = 1', rows);
    expect(found.map(({ field, rows: count, of }) => [field, count, of])).toEqual([
      ['reward', 2, 3],
      ['judge', 2, 3],
    ]);
  });

  test('clauses and names that a record lacks', async () => {
    const rows = await rowsOf(r1Searcher);
    expect(
      unknown('reward.format = 1 or recipe = x or policy contains "y"', rows).map(
        ({ field, why }) => `${field}: ${why}`,
      ),
    ).toEqual([
      'reward.format: the reward has no clause “format”',
      'recipe: the record names no recipe',
      'policy: the record names no model',
    ]);
  });

  test('no note for a filter on missing or present values', async () => {
    const rows = await rowsOf(r1Searcher);
    for (const filter of ['', 'recall is missing', 'em = 1 and answer = x', 'think contains "x"'])
      expect(unknown(filter, rows)).toEqual([]);
  });

  test('a row that was stored before a number was counted says so', async () => {
    const [row] = await rowsOf(r1Searcher);
    const { 'em.r1-searcher': _later, ...numbers } = row!.numbers;
    const old = { ...row!, numbers };
    expect(unknown('em.r1-searcher = 1', [row!])).toEqual([]);
    expect(unknown('em.r1-searcher = 1', [old])[0]?.why).toBe(
      'the file was imported by an older version; open it again to count this',
    );
  });
});

describe('which rows pass where something is unknown', () => {
  const dump = (output: string, gts: string | null) => ({
    input: 'Question: Where was Ada Berg born?\n',
    output,
    gts,
    score: 1,
    step: 1,
  });
  const records = {
    right: dump('<answer>Oslo</answer>', 'Oslo'),
    wrong: dump('<answer>Rome</answer>', 'Oslo'),
    none: dump('', 'Oslo'),
    'without gold': dump('<answer>Oslo</answer>', null),
    unread: dump('She was born in Oslo, as far as I know.', 'Oslo'),
  };
  test.each([
    ['em = 1', ['right']],
    ['em != 1', ['wrong', 'none']],
    ['not em = 1', ['wrong', 'none']],
    ['not em != 1', ['right']],
    ['not not em = 1', ['right']],
    ['em is missing', ['without gold', 'unread']],
    ['not em is missing', ['right', 'wrong', 'none']],
    ['not em = 1 or em is missing', ['wrong', 'none', 'without gold', 'unread']],
    ['not (em = 1 and reward = 1)', ['wrong', 'none']],
    ['not (em = 1 and reward = 0)', ['right', 'wrong', 'none', 'without gold', 'unread']],
    ['not (em = 1 or reward = 0)', ['wrong', 'none']],
    ['not outcome = no-answer', ['right', 'wrong', 'unread']],
    ['not recipe = x', []],
    ['not answer = oslo', ['wrong', 'none']],
    ['not reward.format = 1', []],
    ['not lint has over-search and not tags has x and em = 1', ['right']],
    ['not think contains "x" and not em = 1', ['wrong', 'none']],
    ['not (think contains "x" or em = 1)', ['wrong', 'none']],
  ])('%s', async (text, wanted) => {
    const filter = compileFilter(parseFilter(text));
    const found: string[] = [];
    for (const [name, record] of Object.entries(records)) {
      const rollout = await importOne(record);
      const row = rowOf(rollout);
      if (filter.rollout(row, rollout)) found.push(name);
      // What the row alone says is what the text says.
      expect([filter.rollout(row, rollout), null]).toContain(filter.row(row));
    }
    expect(found).toEqual(wanted);
  });

  test('an answer that cannot be read is unknown, one that was not given is none', async () => {
    const rows = await rowsOf(records.none, records.unread);
    expect(unknown('not answer = x', rows)).toMatchObject([{ field: 'answered', rows: 1, of: 2 }]);
  });

  test('an unknown row leaves texts unread where they could not help', async () => {
    const [row] = await rowsOf(records.unread);
    expect(compileFilter(parseFilter('em = 1 and "x"')).row(row!)).toBe(false);
    expect(compileFilter(parseFilter('em = 1 or "x"')).row(row!)).toBeNull();
  });
});

test('recall of our own record is unknown, not 0, where the question names no supporting title', () => {
  const rollout = JSON.parse(ownLines()[0]!) as ImportedRollout;
  expect(rowOf(rollout).numbers.recall).toBe(rollout.metrics!.recall);
  const unnamed: ImportedRollout = {
    ...rollout,
    question: { ...rollout.question, supporting: [] },
    metrics: { ...rollout.metrics!, recall: 0 },
  };
  const row = rowOf(unnamed);
  expect(row.numbers.recall).toBeNull();
  expect(compileFilter(parseFilter('recall = 0')).row(row)).toBe(false);
});
