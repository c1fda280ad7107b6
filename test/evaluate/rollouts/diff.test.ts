import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leastCpuMs } from '../../fuzz/subjects/cost.ts';
import {
  diffItems,
  diffRollouts,
  wordPieces,
  type DiffRun,
} from '../../../src/evaluate/rollouts/diff.ts';
import { verl } from '../../fixtures/inspect/records.ts';
import { importOne } from '../../formats/rollouts/helpers.ts';

const count = (runs: readonly DiffRun[], kind: DiffRun['kind']): number =>
  runs
    .filter((run) => run.kind === kind)
    .reduce((sum, run) => sum + Math.max(run.aTo - run.aFrom, run.bTo - run.bFrom), 0);

/** The right side, made from the left side and the runs. */
const applied = (runs: readonly DiffRun[], a: readonly string[], b: readonly string[]): string[] =>
  runs.flatMap((run) =>
    run.kind === 'same'
      ? a.slice(run.aFrom, run.aTo)
      : run.kind === 'added'
        ? b.slice(run.bFrom, run.bTo)
        : [],
  );

/** Length of the longest common subsequence, by its table. */
function lcs(a: readonly string[], b: readonly string[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)));
    row = next;
  }
  return row.at(-1)!;
}

const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 25 });

/** Both sides are covered from end to end, without gaps. */
function expectWhole(runs: readonly DiffRun[], a: readonly string[], b: readonly string[]): void {
  let [x, y] = [0, 0];
  for (const run of runs) {
    expect([run.aFrom, run.bFrom]).toEqual([x, y]);
    if (run.kind === 'same')
      expect(a.slice(run.aFrom, run.aTo)).toEqual(b.slice(run.bFrom, run.bTo));
    [x, y] = [run.aTo, run.bTo];
  }
  expect([x, y]).toEqual([a.length, b.length]);
}

describe('the diff of two sequences', () => {
  test('turns one into the other, with the fewest edits', () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const runs = diffItems(a, b);
        expectWhole(runs, a, b);
        expect(applied(runs, a, b)).toEqual(b);
        expect(count(runs, 'same')).toBe(lcs(a, b));
      }),
      { numRuns: 300 },
    );
  });

  test('50,000 tokens: a few edits, and nothing in common, in well under a second', async () => {
    const a = Array.from({ length: 50_000 }, (_, i) => `t${(i * 7919) % 3000}`);
    const b = a.slice();
    b.splice(40_000, 3);
    b.splice(10_000, 2, 'new');
    const few = diffItems(a, b);
    expect([count(few, 'removed'), count(few, 'added')]).toEqual([5, 1]);
    const other = a.map((item) => `other ${item}`);
    expect(diffItems(a, other).map(({ kind }) => kind)).toEqual(['removed', 'added']);
    const both = (): unknown => [diffItems(a, b), diffItems(a, other)];
    expect(await leastCpuMs(both, 1000)).toBeLessThan(3000);
  });

  test('beyond the cap it continues between tokens that occur once', () => {
    const part = (name: string) => Array.from({ length: 500 }, (_, i) => `${name}${i % 40}`);
    const a = [...part('a'), 'one', ...part('b'), 'two', ...part('c')];
    const b = [...part('x'), 'one', ...part('y'), 'two', ...part('z')];
    const runs = diffItems(a, b);
    expectWhole(runs, a, b);
    expect(count(runs, 'same')).toBe(2);
  });
});

test('a stretch beyond the cap is searched no further, though something in it stands alone there', () => {
  const times = (item: string, count: number): string[] =>
    Array.from({ length: count }, () => item);
  // "k" stands once before "one", and once after it.
  const side = (item: string): string[] => [
    ...times(item, 400),
    'k',
    ...times(item, 400),
    'one',
    'k',
    item,
    item,
  ];
  const runs = diffItems(side('a'), side('b'));
  expect(count(runs, 'same')).toBe(2);
  expect(runs.map(({ kind }) => kind)).toEqual(['removed', 'added', 'same', 'removed', 'added']);
  // After the last anchor no less.
  const behind = (item: string): string[] => side(item).toReversed();
  expect(count(diffItems(behind('a'), behind('b')), 'same')).toBe(2);
});

describe('around the cap of 600 edits', () => {
  const times = (item: string, count: number): string[] =>
    Array.from({ length: count }, () => item);

  test.each([
    // 4 · 150 edits leave both k; with one more the stretch is shown as replaced, as no item is alone.
    [150, 2],
    [151, 0],
  ])('%i items on one side of what both have: %i are kept', (count, kept) => {
    const a = [...times('a', count), 'k', 'k', ...times('a', 150)];
    const b = [...times('b', 150), 'k', 'k', ...times('b', 150)];
    const runs = diffItems(a, b);
    expectWhole(runs, a, b);
    expect(runs.filter(({ kind }) => kind === 'same').map((run) => run.aTo - run.aFrom)).toEqual(
      kept === 0 ? [] : [kept],
    );
  });
});

test('words keep their white space, and joined are the text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(wordPieces(text).join('')).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('two rollouts: what the policy wrote instead', async () => {
  const a = await importOne(verl);
  const b = await importOne({
    ...verl,
    output: (verl['output'] as string).replace('Ida Holm wrote it.', 'Ada Holm wrote it.'),
  });
  const { a: left, b: right, runs } = diffRollouts(a, b);
  expect(runs.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
  const texts = (pieces: typeof left, from: number, to: number) =>
    pieces.slice(from, to).map(({ text }) => text.trim());
  expect(texts(left, runs[1]!.aFrom, runs[1]!.aTo)).toEqual(['<think>Ida']);
  expect(texts(right, runs[2]!.bFrom, runs[2]!.bTo)).toEqual(['<think>Ada']);
});

describe('the words of two rollouts', () => {
  const written = (text: string, source: 'policy' | 'environment' = 'policy') => ({
    segments: [{ source, role: 'think' as const, text }],
  });
  const same = (a: ReturnType<typeof written>, b: ReturnType<typeof written>): number =>
    count(diffRollouts(a, b).runs, 'same');

  test('are the same whatever white space stands before them', () => {
    expect(same(written('one two'), written('  one\n\ttwo'))).toBe(2);
    expect(same(written('one two'), written('one  twos'))).toBe(1);
  });

  test('are others where another wrote them', () => {
    expect(same(written('one two'), written('one two', 'environment'))).toBe(0);
  });
});
