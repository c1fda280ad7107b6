import { describe, expect, it } from 'vitest';
import { present } from '../../../src/base/items.ts';
import {
  disagreementsOf,
  frontierOf,
  gridOf,
  survivalOf,
} from '../../../src/evaluate/systems/pictures.ts';
import { ablationMatrix, ablationsOf } from '../../../src/evaluate/systems/ablation-picture.ts';
import { parseCustomSystem } from '../../../src/evaluate/systems/custom.ts';
import type { EvaluationResult } from '../../../src/evaluate/systems/result.ts';
import { holm } from '../../../src/evaluate/systems/table/holm.ts';
import { signFlipTest } from '../../../src/evaluate/systems/table/table.ts';
import { systemsTables } from '../../../src/evaluate/systems/table/table.ts';
import { tableText } from '../../../src/evaluate/systems/table/text.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { cell, RESULT, system } from './by-hand.ts';

describe("Holm's correction", () => {
  it('multiplies the least by m, the next by m − 1, never falling, never above 1', () => {
    // Sorted 0.01, 0.02, 0.03, 0.04: 4 × 0.01, 3 × 0.02, max(0.06, 2 × 0.03), max(0.06, 0.04).
    const adjusted = holm([0.04, 0.01, 0.03, 0.02]);
    [0.06, 0.04, 0.06, 0.06].forEach((p, i) => expect(adjusted[i]).toBeCloseTo(p, 12));
    expect(holm([0.6, 0.5])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('the sign-flip test', () => {
  it('counts flips at least as extreme: three equal differences, 2 of 8', () => {
    expect(signFlipTest([[1, 1, 1]])).toBe(2 / 8);
  });

  it('weighs a world of one question as one of three', () => {
    // (2/3 − 1)/2 = −1/6. Of the 8 flips of (1/3, 1/3, −1) only the sums ±1/3 and ±1 and ±5/3 occur; all reach it.
    expect(signFlipTest([[1, 1, 0], [-1]])).toBe(1);
    // (2/3 + 1)/2: reached by all plus and all minus alone.
    expect(signFlipTest([[1, 1, 0], [1]])).toBe(2 / 8);
  });

  it('is 1 where nothing differs, and small but never 0 where all of many differ alike', () => {
    expect(signFlipTest([[0, 0, 0]])).toBe(1);
    expect(signFlipTest([Array.from({ length: 40 }, () => 1)])).toBe(1 / 10_000);
  });

  it('agrees with the binomial distribution where it is drawn', () => {
    // 14 against 6 of 20 equal differences: two-sided binomial p = 2 P(X ≥ 14) = 0.1153.
    const p = signFlipTest([Array.from({ length: 20 }, (_, i) => (i < 14 ? 1 : -1))]);
    expect(Math.abs(p - 0.1153)).toBeLessThan(0.012);
  });
});

describe('the table', () => {
  it('means seeds, then questions, then worlds, and pairs the differences', async () => {
    const [table] = await systemsTables(RESULT, 'all', {});
    // World A: (0.5 + 0 + 1)/3 = 0.5; world B: 0.
    expect(cell(table, 'a', 'em').value?.mean).toBeCloseTo(0.25, 12);
    // All right, which says of four questions that the share is above a half: 4 / (4 + 1.96²).
    const all = cell(table, 'b', 'em')?.value;
    expect(all).toMatchObject({ mean: 1, high: 1 });
    expect(all?.low).toBeCloseTo(4 / (4 + 1.96 ** 2), 10);
    const { difference } = cell(table, 'b', 'em');
    expect(difference?.mean).toBeCloseTo(0.75, 12);
    expect(difference?.n).toBe(4);
    // Differences 0.5, 1, 0 and 1: three that are not 0, all of one sign: 2 of 8.
    expect(difference?.p).toBe(0.25);
    expect(cell(table, 'a', 'em').difference).toBeNull();
    expect([cell(table, 'b', 'em').mark, cell(table, 'a', 'em').mark]).toEqual([
      'best',
      'not-worse',
    ]);
    expect(cell(table, 'a', 'searches').mark).toBe('best');
    expect(cell(table, 'a', 'judge').value).toBeNull();
    expect(
      table?.rows.map(({ rollouts, questions, failed }) => [questions, rollouts, failed]),
    ).toEqual([
      [4, 5, 0],
      [4, 4, 1],
    ]);
  });

  it('is split by hops and worlds, and compares with the chosen row', async () => {
    const tables = await systemsTables(RESULT, 'hops', { reference: 'b' });
    expect(tables.map(({ part }) => part)).toEqual(['1 hop', '2 hops']);
    expect(cell(tables[0], 'a', 'em').difference?.mean).toBe(-0.5);
    expect(cell(tables[0], 'b', 'em').difference).toBeNull();
    expect((await systemsTables(RESULT, 'world')).map(({ part }) => part)).toEqual(['A', 'B']);
    await expect(systemsTables(RESULT, 'all', { reference: 'c' })).rejects.toThrow('"c"');
  });

  it('is written without times unless they are asked for', async () => {
    const tables = await systemsTables(RESULT, 'all');
    const text = { result: RESULT, tables, times: false };
    const markdown = tableText(text, 'markdown');
    expect(markdown).toContain('| B | 4 | **100.0** [51.0, 100.0] |');
    expect(markdown).toContain('+75.0 [');
    expect(markdown).not.toContain('seconds');
    expect(tableText({ ...text, times: true }, 'markdown')).toContain('device seconds');
    expect(tableText(text, 'csv').split('\n')[0]).toContain('p_holm');
    expect(tableText(text, 'latex')).toContain('\\textbf{100.0}');
  });
});

describe('what was published', () => {
  const paper = { figure: 'EM 34.5', benchmark: 'HotpotQA', model: 'Qwen2.5-3B' };
  const of = async (systems: EvaluationResult['systems']) => {
    const result = { ...RESULT, systems };
    const tables = await systemsTables(result, 'all');
    const text = (format: 'markdown' | 'csv' | 'latex') =>
      tableText({ result, tables, times: false }, format).split('\n');
    return { markdown: text('markdown'), csv: text('csv'), latex: text('latex') };
  };

  it('is in its own last column with benchmark and model, without a difference', async () => {
    const { markdown, csv, latex } = await of([system('a', { published: paper }), system('b')]);
    const heads = markdown.filter((line) => line.startsWith('| system'));
    expect(heads.map((line) => line.endsWith('| published elsewhere, not comparable |'))).toEqual([
      true,
      false,
    ]);
    const rows = markdown.filter((line) => /^\| [AB] \|/u.test(line));
    expect(rows[0]).toMatch(/\| EM 34\.5 \(HotpotQA; Qwen2\.5-3B\) \|$/u);
    expect(rows[1]).toMatch(/\| none given \|$/u);
    expect(rows[2]).not.toContain('none given');
    const at = csv[0]?.split(',').indexOf('published') ?? -1;
    expect(csv[1]?.split(',').slice(at, at + 3)).toEqual(['EM 34.5', 'HotpotQA', 'Qwen2.5-3B']);
    expect(latex.find((line) => line.trimStart().startsWith('A &'))).toContain(
      '& EM 34.5 (HotpotQA; Qwen2.5-3B)',
    );
  });

  it('has no column where nothing was', async () => {
    const { markdown, latex } = await of([system('a'), system('b')]);
    expect([...markdown, ...latex].join('\n')).not.toContain('published elsewhere');
  });
});

describe('the pictures', () => {
  it('the frontier holds what nothing beats in both', async () => {
    const [table] = await systemsTables(RESULT, 'all');
    expect(frontierOf(present(table, 'table'), 'searches')).toEqual([
      { system: 'a', cost: 1, quality: 0.25, onFrontier: true },
      { system: 'b', cost: 3, quality: 1, onFrontier: true },
    ]);
    expect(
      frontierOf(present(table, 'table'), 'tokens').map(({ system: id, onFrontier }) => [
        id,
        onFrontier,
      ]),
    ).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });

  it('a chain survives a hop where it was found with all before it', () => {
    const [a] = survivalOf(RESULT);
    expect(a?.hops).toEqual([
      { hop: 1, of: 5, alive: 3, lost: 2 },
      // One of the three had lost the first hop already.
      { hop: 2, of: 3, alive: 1, lost: 1 },
    ]);
    expect([a?.whole, a?.broken]).toEqual([
      { of: 2, right: 2 },
      { of: 3, right: 0 },
    ]);
  });

  it('systems part the widest where one is right and one wrong', () => {
    const parted = disagreementsOf(gridOf(RESULT));
    expect(parted.map(({ question: { id }, disagreement }) => [id, disagreement])).toEqual([
      ['a2', 0.25],
      ['b1', 0.25],
      ['a1', 0.0625],
    ]);
  });

  it('variants of a recipe are in a matrix of their changes', async () => {
    const changed = [{ setting: 'stie.mode', from: 'off', to: 'paper' }];
    const result = { ...RESULT, systems: [system('a'), system('b', { changes: changed })] };
    const [table] = await systemsTables(result, 'all');
    const matrix = ablationMatrix(result, present(table, 'table'), present(result.systems[0], 'a'));
    expect(matrix?.settings).toEqual(['stie.mode']);
    expect(matrix?.rows.map(({ settings }) => settings)).toEqual([['off'], ['paper']]);
    for (const one of ablationsOf(getRecipe('kunlun-baize')))
      expect(parseCustomSystem(one)).toEqual(one);
    expect(ablationsOf(getRecipe('kunlun-baize')).map(({ id }) => id)).toContain(
      'kunlun-baize-without-router',
    );
  });
});
