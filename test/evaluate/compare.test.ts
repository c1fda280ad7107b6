import { describe, expect, test } from 'vitest';
import { compareArms, comparisonMarkdown } from '../../bench/mechanisms/compare.ts';
import { summarizeRollouts } from '../../src/evaluate/summary.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { scored } from '../fixtures/rollouts.ts';

const worse = scored('a', 1, { em: 0, f1: 0.25, recall: 0, searches: 3, formatValid: false });
const better = scored('a', 1, { em: 1, f1: 0.75, recall: 0.5, searches: 1, formatValid: true });
/** Of one question. */
const point = (value: number) => ({ mean: value, low: null, high: null });

describe('a table of arms', () => {
  test('differences are the arm less the first one, metric by metric', () => {
    const { reference, questions, rows } = compareArms([
      { name: 'without', rollouts: [worse] },
      { name: 'with', rollouts: [better] },
    ]);
    expect([reference, questions]).toEqual(['without', 1]);
    expect(rows.map(({ name, summary }) => [name, summary.em])).toEqual([
      ['without', 0],
      ['with', 1],
    ]);
    expect(rows[1]?.difference).toEqual({
      em: point(1),
      f1: point(0.5),
      recall: point(0.5),
      searches: point(-2),
      formatValid: point(1),
    });
  });

  test('in Markdown: percent, a sign for gains alone, searches to two digits', () => {
    const table = comparisonMarkdown(
      compareArms([
        { name: 'without', rollouts: [worse] },
        { name: 'with', rollouts: [better] },
        { name: 'again', rollouts: [worse] },
      ]),
    );
    expect(table.split('\n')).toEqual([
      '| arm | n | EM | F1 | recall | searches | format | ΔEM | Δrecall | Δsearches |',
      '|---|---:|---:|---:|---:|---:|---:|---|---|---|',
      '| without | 1 | 0.0 | 25.0 | 0.0 | 3.00 | 0.0 | – | – | – |',
      '| with | 1 | 100.0 | 75.0 | 50.0 | 1.00 | 100.0 | +100.0 [–] | +50.0 [–] | -2.00 [–] |',
      '| again | 1 | 0.0 | 25.0 | 0.0 | 3.00 | 0.0 | 0.0 [–] | 0.0 [–] | 0.00 [–] |',
      '',
      '[–]: no interval: one question, or all differences are equal.',
    ]);
  });

  test('four questions without a flip: EM may still differ; other measures have no interval', () => {
    const arm = (name: string, searches: number) => ({
      name,
      rollouts: ['a', 'b', 'c', 'd'].map((id) => scored(id, 1, { searches })),
    });
    const compared = compareArms([arm('x', 1), arm('y', 2)]);
    const { em, searches } = compared.rows[1]?.difference ?? {};
    // (0 + 1)/(4 + 2) up and down: 0 ± 1.96 √((2/6)/6).
    expect(em?.low).toBeCloseTo(-0.46198, 5);
    expect(em?.high).toBeCloseTo(0.46198, 5);
    expect(searches).toEqual({ mean: 1, low: null, high: null });
    expect(comparisonMarkdown(compared)).toContain('| 0.0 [-46.2, 46.2] | ');
  });

  test('a question counts where every arm has a rollout of it that was measured', () => {
    const at = (id: string, em: number) => scored(id, 1, { em });
    const { questions, rows } = compareArms([
      { name: 'x', rollouts: [at('a', 0), at('b', 0), at('c', 0)] },
      { name: 'y', rollouts: [at('a', 1), at('b', 0)] },
      { name: 'z', rollouts: [at('b', 1), { ...at('a', 1), metrics: null }] },
    ]);
    expect(questions).toBe(1);
    expect(rows.map(({ difference }) => difference?.em?.mean)).toEqual([undefined, 0, 1]);
  });

  test('recall is compared over questions that name supporting titles, and not where none does', () => {
    const untitled = (recall: number): Rollout => {
      const rollout = scored('b', 1, { recall });
      return { ...rollout, question: { ...rollout.question, supporting: [] } };
    };
    const compared = (...others: Rollout[][]) =>
      compareArms(others.map((rollouts, i) => ({ name: `arm ${i}`, rollouts })));
    const mixed = compared([worse, untitled(0)], [better, untitled(0)]);
    expect([mixed.questions, mixed.rows[1]?.difference?.recall]).toEqual([2, point(0.5)]);
    const none = compared([untitled(0)], [untitled(0)]);
    expect(none.rows[1]?.difference?.recall).toBeNull();
    expect(comparisonMarkdown(none)).toContain('0.0 [–] | – | 0.00 [–] |');
  });

  test('no arm is refused; no shared question gives no difference', () => {
    expect(() => compareArms([])).toThrow(RangeError);
    const none = compareArms([
      { name: 'x', rollouts: [worse] },
      { name: 'y', rollouts: [] },
    ]);
    expect(none.questions).toBe(0);
    expect(none.rows[1]?.difference?.em).toBeNull();
  });

  test('the seed of the intervals is passed on', () => {
    const arm = (shift: number) => ({
      name: String(shift),
      rollouts: Array.from({ length: 30 }, (_, i) => scored(`q${i}`, 1, { f1: (i * shift) % 1 })),
    });
    const low = (seed: number) =>
      compareArms([arm(0.1), arm(0.37)], { seed }).rows[1]?.difference?.f1?.low;
    expect(low(4)).toBe(low(4));
    expect(low(4)).not.toBe(low(5));
  });
});

test('recall is over the questions that name supporting passages, hops in order of number', () => {
  const named = scored('a', 10, { recall: 0.5 });
  const unnamed = scored('b', 2, { recall: 0 });
  const summary = summarizeRollouts([
    named,
    { ...unnamed, question: { ...unnamed.question, supporting: [] } },
  ]);
  expect([summary.n, summary.recall]).toEqual([2, 0.5]);
  expect(Object.entries(summary.byHops).map(([hops, { recall }]) => [hops, recall])).toEqual([
    ['2', null],
    ['10', 0.5],
  ]);
});
