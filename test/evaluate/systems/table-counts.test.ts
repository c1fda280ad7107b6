import { describe, expect, it } from 'vitest';
import { present } from '../../../src/base/items.ts';
import { hierarchicalBootstrap } from '../../../src/evaluate/hierarchical.ts';
import type { EvaluationResult } from '../../../src/evaluate/systems/result.ts';
import { countNotes, missingNotes } from '../../../src/evaluate/systems/table/notes.ts';
import type { SystemsTable, TableRow } from '../../../src/evaluate/systems/table/shape.ts';
import { systemsTables } from '../../../src/evaluate/systems/table/table.ts';
import { tableText } from '../../../src/evaluate/systems/table/text.ts';
import { cell, question, RESULT, rollout } from './by-hand.ts';

/** Numbers of a table that are over fewer questions than its rows, or have no interval. */

describe('differences that are all equal', () => {
  /** Form, and EM of a and b: four questions without a flip, three that b loses, one that it wins in one seed of two. */
  const forms: [type: string, a: number, b: number[]][] = [
    ...[0, 0, 1, 1].map((em): [string, number, number[]] => ['bridge', em, [em, em]]),
    ...[1, 1, 1].map((em): [string, number, number[]] => ['yesno', em, [0, 0]]),
    ['count', 0, [0, 1]],
  ];
  const result: EvaluationResult = {
    ...RESULT,
    questions: forms.map(([type], i) => ({ ...question(`q${i}`, 'A', 1), type })),
    rollouts: forms.flatMap(([, a, b], i) => [
      rollout('a', `q${i}`, a, { judge: a }),
      ...b.map((em, s) => rollout('b', `q${i}`, em, { seed: s + 1, judge: em, searches: 3 })),
    ]),
    failed: [],
  };
  const ends = (table: SystemsTable | undefined, measure: string) => {
    const { low = NaN, high = NaN } = cell(table, 'b', measure).difference ?? {};
    return [low, high].map((end) => end && Number(end.toFixed(4)));
  };

  it('keep a width where answers are right or wrong, as the headline of a run has it', async () => {
    const [bridge, yesno, count] = await systemsTables(result, 'type');
    for (const measure of ['em', 'coverEm', 'judge', 'format'])
      expect(ends(bridge, measure)).toEqual([-0.462, 0.462]);
    // −0.6 ± 1.96 √((1 − 0.36)/5); p is as it was: 2 of 8 flips.
    expect(ends(yesno, 'em')).toEqual([-1, 0.1012]);
    expect(cell(yesno, 'b', 'em').difference).toMatchObject({ mean: -1, n: 3, p: 0.25 });
    // One question, and numbers that are no share of right answers.
    expect(ends(count, 'em')).toEqual([null, null]);
    expect(cell(count, 'b', 'em').difference).toMatchObject({ mean: 0.5, n: 1 });
    expect(ends(bridge, 'f1')).toEqual([null, null]);
    expect(ends(yesno, 'searches')).toEqual([null, null]);
    // Over all forms they differ, and are resampled.
    const [all] = await systemsTables(result, 'all');
    expect(cell(all, 'b', 'em').difference).toMatchObject(
      hierarchicalBootstrap([[[0, 0, 0, 0, -1, -1, -1, 0.5]]]),
    );
  });

  it('are written without ends and with the reason, where they have no interval', async () => {
    const tables = await systemsTables(result, 'type');
    const text = (format: 'markdown' | 'csv' | 'latex') =>
      tableText({ result, tables, times: false }, format).split('\n');
    const why = 'no interval: one question, or all differences are equal';
    const markdown = text('markdown');
    expect(markdown.filter((line) => line.startsWith('| B |') && line.includes('p='))).toEqual([
      expect.stringContaining('| 0.0 [-46.2, +46.2] p=1.000 | 0.0 [–] p=1.000 |'),
      expect.stringContaining('| -100.0 [-100.0, +10.1] p=0.250 | -100.0 [–] p=0.250 |'),
      expect.stringContaining('| +50.0 [–] p=1.000 |'),
    ]);
    expect(markdown.filter((line) => line.endsWith(`; [–]: ${why}:`))).toHaveLength(3);
    const latex = text('latex');
    expect(latex.filter((line) => line.includes('& 0.0 [$-46.2$, $+46.2$] p='))).toHaveLength(1);
    expect(latex.filter((line) => line.includes('& $+50.0$ [--] p='))).toHaveLength(1);
    expect(latex.filter((line) => line.includes(`; [--]: ${why}.}`))).toHaveLength(3);
    const [head = [], ...rows] = text('csv').map((line) => line.split(','));
    const of = (part: string, measure: string) => {
      const row = rows.find(([one, b, , , , m]) => one === part && b === 'b' && m === measure);
      return ['difference', 'difference_low', 'difference_note'].map(
        (name) => row?.[head.indexOf(name)],
      );
    };
    expect(of('count', 'em')).toEqual(['0.5', '', '"no interval: one question']);
    expect(of('bridge', 'em')[1]).toMatch(/^-0\.46197/u);
    expect(of('bridge', 'em')[2]).toBe('');
  });
});

describe('a measure that not every question has', () => {
  // Question b1 names no evidence; of a1 there are two rollouts of a.
  const rollouts = RESULT.rollouts.map((one) =>
    one.question === 'b1' ? one : { ...one, recall: one.em },
  );
  const result = { ...RESULT, rollouts };
  const textOf = async (format: 'markdown' | 'csv' | 'latex', of: EvaluationResult = result) =>
    tableText({ result: of, tables: await systemsTables(of, 'all'), times: false }, format);

  it('is over the questions that have it, with an n of its own', async () => {
    const [table] = await systemsTables(result, 'all');
    expect(cell(table, 'a', 'recall')).toMatchObject({ n: 3, rollouts: 4 });
    expect(cell(table, 'a', 'em')).toMatchObject({ n: 4, rollouts: 5 });
    expect(cell(table, 'a', 'judge')).toMatchObject({ n: 0, rollouts: 0, value: null });
    expect(cell(table, 'b', 'recall').difference?.n).toBe(3);
  });

  it('has that n in its line of the CSV, and in the difference beside it', async () => {
    const [head = '', ...lines] = (await textOf('csv')).trim().split('\n');
    const names = head.split(',');
    const of = (system: string, measure: string): string[] => {
      const line = lines.find((one) => one.includes(`,${system},`) && one.includes(`,${measure},`));
      // No field that is asked for holds a comma.
      const fields = (line ?? '').replaceAll(/"[^"]*"/g, 'quoted').split(',');
      expect(fields).toHaveLength(names.length);
      return ['questions', 'rollouts', 'compared_with', 'compared_questions'].map(
        (name) => fields[names.indexOf(name)] ?? '',
      );
    };
    expect(of('a', 'em')).toEqual(['4', '5', '', '']);
    expect(of('a', 'recall')).toEqual(['3', '4', '', '']);
    expect(of('b', 'recall')).toEqual(['3', '3', 'a', '3']);
  });

  it('is said under the table where one n stands for a whole row', async () => {
    const note = 'Recall over 3 of 4 questions: the others have no known evidence.';
    expect(await textOf('markdown')).toContain(note);
    expect(await textOf('latex')).toContain(note);
    expect(await textOf('markdown', RESULT)).not.toContain(' over 4 of 4 ');
  });

  it('is given row by row where rows differ, and as a range where many do', async () => {
    const [table] = await systemsTables(result, 'all');
    const [a, b] = present(table, 'table').rows;
    const over = (row: TableRow, id: string, n: number): TableRow => ({
      ...row,
      system: id,
      cells: row.cells.map((one) => (one.measure === 'recall' ? { ...one, n } : one)),
    });
    const rows = [over(present(a, 'a'), 'A', 3), over(present(b, 'b'), 'B', 4)];
    expect(countNotes(rows, (id) => id)).toEqual([
      'Recall over 3 of 4 questions (A), 4 of 4 (B): the others have no known evidence.',
    ]);
    const many = [1, 2, 3, 4].map((n) => over(present(a, 'a'), `S${n}`, n));
    expect(countNotes(many, (id) => id)).toEqual([
      'Recall over 1 to 4 questions, fewer than in the row: the others have no known evidence.',
    ]);
  });

  it('is missing for a reason of its own', async () => {
    const [table] = await systemsTables(RESULT, 'all');
    expect(missingNotes(present(table, 'table').rows)).toEqual([
      'judge (no judge was used)',
      'recall (the questions have no known evidence)',
    ]);
  });
});
