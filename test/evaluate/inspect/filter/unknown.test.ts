import { describe, expect, test } from 'vitest';
import {
  compileFilter,
  parseFilter,
  unknownsOf,
  type Unknown,
} from '../../../../src/evaluate/inspect/filter/index.ts';
import { rowOf, type RolloutRow } from '../../../../src/evaluate/inspect/row.ts';
import type { ImportedRollout } from '../../../../src/data/rollouts/index.ts';
import { r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne, ownLines } from '../../../data/rollouts/helpers.ts';

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
      'policy: the record names no policy',
    ]);
  });

  test('who asks for what is missing is told nothing, nor who asks for what is there', async () => {
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
      'the file was read before this was counted; open it again to have it',
    );
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
