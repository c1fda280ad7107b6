import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { besideOf, type Beside } from '../../../../src/evaluate/rollouts/siblings/beside.ts';
import type { BesideRound } from '../../../../src/evaluate/rollouts/siblings/rounds.ts';
import { isOwnRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import {
  besideLayout,
  LINE,
  PADDING,
  type BesideLayout,
  type CellLine,
} from '../../../../src/ui/kit/beside/beside-layout.ts';
import { ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';

const END = { answer: null, right: null, em: null, f1: null, reward: null, event: 0, ended: true };

const round = (number: number, rest: Partial<BesideRound> = {}): BesideRound => ({
  number,
  query: 'who founded the city of Borfield',
  source: 'local',
  refused: [],
  passages: [],
  failed: false,
  event: 0,
  ...rest,
});
const beside = (...rows: [BesideRound | null, BesideRound | null][]): Beside => ({
  rows: rows.map(([a, b]) => ({ a, b, differs: null })),
  ends: [END, END],
  first: null,
});
const answered = (): CellLine[] => [
  { kind: 'head', text: 'answer' },
  { kind: 'right', text: '✓ Ida' },
];

/** Letters of a line of 11.5 px, as wide as those of the picture mostly are. */
const LETTER = 6.5;

/** What is wrong with a drawing, as text. */
const faultsOf = (layout: BesideLayout, width: number): string[] => {
  const { cells, rows, heads, height, stacked } = layout;
  const boxes = cells.map(({ x, y, width: w, height: h }) => ({
    left: x,
    right: x + w,
    top: y,
    bottom: y + h,
  }));
  return [
    ...cells.flatMap(({ lines, height: own, width: room }, i) => [
      // The last line of text with what hangs below it.
      ...(PADDING + 10 + (lines.length - 1) * LINE + 4 <= own
        ? []
        : [`cell ${i}: a line too many`]),
      ...lines.flatMap(({ text }) =>
        text.length * LETTER <= room - 2 * PADDING ? [] : [`too long: ${text}`],
      ),
    ]),
    ...boxes.flatMap((a, i) => [
      ...(a.left >= 0 && a.right <= width && a.top >= 0 && a.bottom <= height
        ? []
        : [`cell ${i} is outside`]),
      ...(boxes
        .slice(i + 1)
        .some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        ? [`cell ${i} is covered`]
        : []),
      ...(heads.some(
        ({ x, y, width: room }) =>
          y - 10 < a.bottom && a.top < y + 3 && x < a.right && a.left < x + room,
      )
        ? [`a name stands on cell ${i}`]
        : []),
    ]),
    ...rows.flatMap(({ y, height: own }, row) => {
      const of = cells.filter((cell) => cell.row === row);
      return of.length === 2 &&
        of.every((cell) => cell.y >= y && cell.y + cell.height <= y + own) &&
        (stacked || of[0]?.y === of[1]?.y)
        ? []
        : [`row ${row} does not hold its two cells`];
    }),
  ];
};

const text = fc.string({
  unit: fc.constantFrom('a', 'word ', ' ', 'ß', '字'),
  maxLength: 90,
  size: 'max',
});
const anyRound = fc.option(
  fc.record({
    number: fc.nat(12),
    query: fc.option(text),
    source: fc.option(fc.constantFrom('local' as const, 'web' as const, 'both' as const)),
    refused: fc.array(
      fc.record({
        what: fc.constantFrom('query' as const, 'answer' as const),
        text,
        event: fc.nat(),
      }),
      { maxLength: 3 },
    ),
    passages: fc.array(fc.record({ title: text, gold: fc.boolean() }), { maxLength: 12 }),
    failed: fc.boolean(),
    event: fc.nat(),
  }),
);

describe('two rollouts side by side', () => {
  it('stay within the picture without overlaps: real pairs on a phone and a screen', async () => {
    const rollouts = (await rolloutsOf(new Blob([ownLines().join('\n')]))).filter(isOwnRollout);
    expect(rollouts).toHaveLength(10);
    for (let i = 0; i < rollouts.length; i += 2) {
      const [a, b] = [rollouts[i], rollouts[i + 1]];
      if (!a || !b) throw new Error('rollouts come in pairs');
      const pair = besideOf(a, b);
      for (const width of [320, 390, 519, 520, 800, 1200]) {
        const layout = besideLayout(pair, answered, width);
        expect(faultsOf(layout, width)).toEqual([]);
        expect(layout.rows).toHaveLength(pair.rows.length + 1);
        expect(layout.stacked).toBe(width < 520);
      }
    }
  });

  it('and whatever they searched and found', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyRound, anyRound), { maxLength: 8 }),
        fc.integer({ min: 280, max: 1400 }),
        (rows, width) => {
          expect(faultsOf(besideLayout(beside(...rows), answered, width), width)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('say that a side has no such search, and are pressed on the other', () => {
    const [left, right] = besideLayout(beside([round(1), null]), answered, 900).cells;
    expect([left?.empty, right?.empty]).toEqual([false, true]);
    expect(right?.lines).toEqual([{ kind: 'plain', text: 'no such search' }]);
  });

  it('are named once when side by side, at each round when stacked', () => {
    const two = beside([round(1), round(1)]);
    expect(besideLayout(two, answered, 900).heads).toMatchObject([
      { side: 0, short: false },
      { side: 1, short: false },
    ]);
    const { heads } = besideLayout(two, answered, 390);
    expect(heads.map(({ side, short }) => [side, short])).toEqual([
      [0, false],
      [1, false],
      [0, true],
      [1, true],
    ]);
  });

  it('that were never asked anything still show their answers', () => {
    const layout = besideLayout(beside(), answered, 900);
    expect(layout.cells.map(({ row, lines }) => [row, lines.length])).toEqual([
      [0, 2],
      [0, 2],
    ]);
    expect(layout.height).toBeGreaterThan(60);
  });
});

describe('what a round shows', () => {
  const linesOf = (one: BesideRound, width = 900) =>
    besideLayout(beside([one, null]), answered, width).cells[0]?.lines ?? [];

  it('is its number and source, the query, then the results, gold marked by a symbol too', () => {
    const passages = [
      { title: 'Ida Holm', gold: true },
      { title: 'Rain', gold: false },
    ];
    expect(linesOf(round(2, { source: 'web', query: 'who', passages }))).toEqual([
      { kind: 'head', text: 'search 2 · web' },
      { kind: 'query', text: '⌕ who' },
      { kind: 'gold', text: '✓ gold Ida Holm' },
      { kind: 'passage', text: '▤ Rain' },
    ]);
  });

  it('is what was refused before it and not kept after it, and that it failed', () => {
    const refused = [
      { what: 'answer' as const, text: 'Bergen', event: 5 },
      { what: 'query' as const, text: 'where', event: 2 },
    ];
    expect(
      linesOf(round(1, { query: 'who', refused, failed: true })).map((one) => one.text),
    ).toEqual([
      'search 1 · local',
      '⊘ refused: where',
      '⌕ who',
      '✗ the search failed',
      '⊘ not kept: Bergen',
    ]);
  });

  it('counts the passages that it has no room for', () => {
    const passages = Array.from({ length: 10 }, (_, i) => ({ title: `P${i}`, gold: false }));
    const lines = linesOf(round(1, { passages }));
    expect(lines.filter(({ kind }) => kind === 'passage')).toHaveLength(6);
    expect(lines.at(-1)).toEqual({ kind: 'plain', text: 'and 4 more' });
    expect(linesOf(round(1, { passages: passages.slice(0, 6) })).at(-1)?.text).toBe('▤ P5');
  });

  it('of the background is not a search of the policy', () => {
    expect(linesOf(round(0, { source: null })).map((one) => one.text)).toEqual(['background']);
  });

  it('breaks a long query at a word, with an ellipsis', () => {
    const query =
      'which of the two rivers that meet below the old town of Borfield is the longer one';
    const [, first, second, third] = linesOf(round(1, { query }), 560);
    expect([first?.kind, second?.kind, third]).toEqual(['query', 'query', undefined]);
    expect(`⌕ ${query}`.startsWith(`${first?.text} `)).toBe(true);
    expect(second?.text).toMatch(/^\S.*…$/);
    // Where two lines hold it all, nothing is cut.
    const whole = linesOf(round(1, { query }), 800).filter(({ kind }) => kind === 'query');
    expect(whole.map((one) => one.text).join(' ')).toBe(`⌕ ${query}`);
  });
});
